import { InvalidArgumentError } from '../errors.js';

/** Merging clusters above this number loses hardly any power and keeps a randomization test exact. */
export const MOST_CLUSTERS = 1_000;

/** Values summed by cluster. If every value is its own cluster, sums are the values and counts are 1. */
export interface ClusterSums {
  sums: Float64Array;
  counts: Float64Array;
  total: number;
  n: number;
}

/**
 * Sums values by cluster, because values of one cluster, such as calls of a session, are not independent evidence.
 *
 * @param clusters a name for each value; a value with `undefined` is its own cluster
 * @throws InvalidArgumentError unless there are as many clusters as values
 */
export function sumByCluster(
  values: readonly number[],
  clusters: readonly (string | undefined)[] | undefined,
): ClusterSums {
  const numbers = numberClusters(values.length, clusters);
  const count = numbers.reduce((most, number) => Math.max(most, number + 1), 0);
  const sums = new Float64Array(count);
  const counts = new Float64Array(count);
  let total = 0;
  values.forEach((value, index) => {
    const cluster = numbers[index] ?? 0;
    sums[cluster] = (sums[cluster] ?? 0) + value;
    counts[cluster] = (counts[cluster] ?? 0) + 1;
    total += value;
  });
  return { sums, counts, total, n: values.length };
}

/** Sum of the squared deviations of cluster sums from their expected value: the cluster-robust variance times n². */
export function squaredDeviations({ sums, counts }: ClusterSums, mean: number): number {
  return sums.reduce((total, sum, cluster) => total + (sum - mean * (counts[cluster] ?? 0)) ** 2, 0);
}

/** The cluster number of each of `n` values, from 0. */
export function numberClusters(
  n: number,
  clusters: readonly (string | undefined)[] | undefined,
): Uint32Array {
  if (clusters === undefined) return Uint32Array.from({ length: n }, (_, index) => index);
  if (clusters.length !== n)
    throw new InvalidArgumentError(
      'clusters',
      `must name one for each of the ${n} values, not ${clusters.length}`,
      'Use undefined for a value without a cluster.',
    );
  const known = new Map<string, number>();
  let next = 0;
  return Uint32Array.from(clusters, (name) => {
    if (name === undefined) return next++;
    const number = known.get(name) ?? next++;
    known.set(name, number);
    return number;
  });
}
