import { InvalidArgumentError, describeValue } from '../errors.js';
import { checkConfidence, DEFAULT_CONFIDENCE, type Interval } from './interval.js';
import { tQuantile } from './student-t.js';

/** A rater's category for an item. Numbers are categories too, not amounts. */
export type Rating = string | number | boolean;

/** Agreement of two raters beyond chance. */
export interface Agreement {
  /** Items that both rated. */
  n: number;
  /** Share of items with equal ratings, 0 to 1; 0 without items. */
  agreed: number;
  /** Expected share of equal ratings by chance, from the raters' category frequencies. */
  agreedByChance: number;
  /** Cohen's kappa: 1 is full agreement, 0 is chance, negative is below chance. `null` if undefined: see `reason`. */
  kappa: number | null;
  /** Absent if `kappa` is `null`, or with one item. */
  interval?: Interval;
  /** Why there is no kappa. */
  reason?: string;
}

/** Pairs added evenly to the cells of the table: see `cohensKappa`. */
const ADDED_PAIRS = 2;

/**
 * Cohen's kappa of two raters, such as a judge and a person, over the items that both rated. Categories have no order or distance. `1`,
 * `'1'` and `true` are three categories. Kappa is undefined (0/0) without items, or if both raters use only one and the same category.
 *
 * The interval is kappa ± t · SE, within -1 to 1, of the table with two more pairs spread evenly over its cells. Without them, the
 * standard error is 0 at full agreement, and the interval covers the true kappa far too rarely. With them and 10 to 100 items, a 95 %
 * interval covers it in 91 to 99 % of simulations (2, 3 or 5 categories, even or rare). Items count as independent.
 *
 * Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960; J. Fleiss, J. Cohen
 * and B. Everitt, "Large sample standard errors of kappa and weighted kappa", Psychological Bulletin 72, 1969, for the standard error;
 * A. Agresti and B. Coull, "Approximate is better than exact for interval estimation of binomial proportions", The American Statistician
 * 52, 1998, for added observations.
 *
 * @param pairs both ratings of each item
 * @param confidence default 0.95
 * @throws InvalidArgumentError when a rating is not a string, boolean or number, or is NaN
 */
export function cohensKappa(
  pairs: Iterable<readonly [Rating, Rating]>,
  confidence: number = DEFAULT_CONFIDENCE,
): Agreement {
  checkConfidence(confidence);
  const { counts, n } = countPairs(pairs);
  if (n === 0) return { n, agreed: 0, agreedByChance: 0, kappa: null, reason: 'No item has two ratings.' };
  const { agreed, agreedByChance, kappa } = computeKappa(counts.map((row) => row.map((count) => count / n)));
  if (counts.length === 1) {
    const reason = 'Both raters put every item into one category, so chance explains their agreement.';
    return { n, agreed, agreedByChance, kappa: null, reason };
  }
  const interval = n === 1 ? undefined : kappaInterval(counts, n, confidence);
  return { n, agreed, agreedByChance, kappa, ...(interval && { interval }) };
}

/** Counts pairs: rows are the first rater's categories, columns the second one's. */
function countPairs(pairs: Iterable<readonly [Rating, Rating]>): { counts: number[][]; n: number } {
  const indexes = new Map<Rating, number>();
  const categoryIndex = (rating: unknown): number => {
    if (!isRating(rating))
      throw new InvalidArgumentError(
        'pairs',
        `has the rating ${describeValue(rating)}`,
        'Use texts, numbers or booleans. Omit items that only one of them rated.',
      );
    const index = indexes.get(rating) ?? indexes.size;
    indexes.set(rating, index);
    return index;
  };
  const indexed = Array.from(pairs, ([one, other]) => [categoryIndex(one), categoryIndex(other)] as const);
  const counts = Array.from(indexes, () => Array.from(indexes, () => 0));
  for (const [row, column] of indexed) {
    const cells = counts[row];
    if (cells !== undefined) cells[column] = (cells[column] ?? 0) + 1;
  }
  return { counts, n: indexed.length };
}

function isRating(value: unknown): value is Rating {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && !Number.isNaN(value))
  );
}

interface Kappa {
  agreed: number;
  agreedByChance: number;
  kappa: number;
  /** Category frequencies of each rater. */
  rows: number[];
  columns: number[];
}

/** @param shares of the cells; their sum is 1 */
function computeKappa(shares: readonly (readonly number[])[]): Kappa {
  const rows = shares.map(sum);
  const columns = shares.map((_, column) => sum(shares.map((row) => row[column] ?? 0)));
  const agreed = Math.min(1, sum(shares.map((row, index) => row[index] ?? 0)));
  const agreedByChance = sum(rows.map((row, index) => row * (columns[index] ?? 0)));
  return { agreed, agreedByChance, kappa: (agreed - agreedByChance) / (1 - agreedByChance), rows, columns };
}

function kappaInterval(counts: readonly (readonly number[])[], n: number, confidence: number): Interval {
  const added = ADDED_PAIRS / counts.length ** 2;
  const total = n + ADDED_PAIRS;
  const shares = counts.map((row) => row.map((count) => (count + added) / total));
  const { kappa, agreedByChance, rows, columns } = computeKappa(shares);
  const gap = 1 - kappa;
  // The large-sample variance of Fleiss, Cohen and Everitt, without weights.
  const squares = shares.flatMap((row, i) =>
    row.map((share, j) => {
      const margins = i === j ? (rows[i] ?? 0) + (columns[i] ?? 0) : (columns[i] ?? 0) + (rows[j] ?? 0);
      return share * (i === j ? 1 - margins * gap : margins * gap) ** 2;
    }),
  );
  const spread = sum(squares) - (kappa - agreedByChance * gap) ** 2;
  const error = Math.sqrt(Math.max(0, spread) / total) / (1 - agreedByChance);
  const margin = tQuantile((1 + confidence) / 2, n - 1) * error;
  return { low: Math.max(-1, kappa - margin), high: Math.min(1, kappa + margin) };
}

function sum(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
