import type { DatasetItemInput, DatasetVersion, Verdict } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../shared/http/api-error.js';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';

export const datasetQuery = (name: string) =>
  queryOptions({
    queryKey: ['dataset', name],
    queryFn: ({ signal }) => client.datasets.get({ name }, { signal }),
  });

/** The items of a version, which never change. */
export const datasetItemsQuery = (name: string, version: number) => ({
  ...pagedQuery(['dataset items', name, version], (page, options) =>
    client.datasets.listItems({ name, version, ...page }, options),
  ),
  staleTime: Infinity,
});

export interface LatestVerdicts {
  runId: string;
  /** Of each item, in the order of the version. */
  verdicts: (Verdict | undefined)[];
}

/** Among so many of the newest runs, the latest finished one of the version is found. */
const RUNS_LOOKED_AT = 200;
const ITEMS_OF_PAGE = 200;

/** What the latest finished run of the version says about its items; `null` without one. */
export const latestVerdictsQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['dataset verdicts', name, version],
    queryFn: async ({ signal }): Promise<LatestVerdicts | null> => {
      const { items: runs } = await client.testRuns.list({ limit: RUNS_LOOKED_AT }, { signal });
      const run = runs.find(
        ({ status, dataset }) =>
          status === 'finished' && dataset?.name === name && dataset.version === version,
      );
      if (run === undefined) return null;
      const verdicts: LatestVerdicts['verdicts'] = [];
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = await client.testRuns.listItems(
          { id: run.id, limit: ITEMS_OF_PAGE, cursor },
          { signal },
        );
        for (const { item_no: no, repetition = 0, verdict } of page.items) {
          if (repetition === 0) verdicts[no] = verdict;
        }
        cursor = page.next_cursor;
      }
      return { runId: run.id, verdicts };
    },
  });

export interface DatasetEdit {
  name: string;
  /** The version that the reader sees. A dataset that changed since refuses the edit. */
  version: number;
  items?: DatasetItemInput[];
  remove?: string[];
}

/** Makes the next version. @throws {Error} when the service rejects an item */
export async function editDataset({
  version,
  ...edit
}: DatasetEdit): Promise<Pick<DatasetVersion, 'version'>> {
  const answer = await client.datasets.addVersion({ ...edit, base: version, if_latest: version });
  const [rejected] = answer.rejected;
  if (rejected !== undefined) throw new Error(rejected.detail);
  return answer;
}

/** The two datasets that a split makes. */
export interface Split {
  name: string;
  version: number;
  /** Percent of the first one, or the items of the second one. */
  by: number | readonly string[];
  into: readonly [first: string, second: string];
}

/** Copies each item into one of two datasets, which are made if there is none of that name. Doing it again adds what is missing. */
export async function splitDataset({ name, version, by, into }: Split): Promise<number[]> {
  const parts =
    typeof by === 'number'
      ? [{ part: { percent: by } }, { part: { percent: by, is_rest: true } }]
      : [{ except_ids: [...by] }, { ids: [...by] }];
  const { items: known } = await client.datasets.list({ limit: 200 });
  const counts: number[] = [];
  for (const [at, target] of into.entries()) {
    if (!known.some((dataset) => dataset.name === target)) await createTarget(target, name);
    const from = { name, version, ...parts[at] };
    const made = await client.datasets.addVersion({
      name: target,
      from_dataset: from,
      note: `from ${name} version ${version}`,
    });
    counts.push(made.added);
  }
  return counts;
}

/** An account may have more datasets than were listed, so one of this name is fine. */
async function createTarget(target: string, name: string): Promise<void> {
  try {
    await client.datasets.create({ name: target, description: `Split from ${name}` });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
}
