import type { TestRunRecord } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../shared/http/client.js';
import { collectDiffering, type DifferingItems } from './differing-items.js';
import { isJudged } from './judged-groups.js';

export const changesKey = (id: string) => ['test run changes', id];

/** The items that differ from their baseline, with payloads. `status`: a resumed run reports items anew. */
export const changesQuery = ({ id, status }: Pick<TestRunRecord, 'id' | 'status'>) =>
  queryOptions({
    queryKey: [...changesKey(id), status],
    queryFn: async ({ signal }) => {
      const shown = { id, worst_first: true, payloads: true, limit: 100 };
      const collect = (judged?: false) =>
        collectDiffering((cursor) => client.testRuns.listItems({ ...shown, judged, cursor }, { signal }));
      const found = await collect();
      // Of a long run, the next part.
      return isPartJudged(found) ? collect(false) : found;
    },
  });

/** Whether all calls that are shown are judged, and there are more. */
export function isPartJudged({ items, isCut }: DifferingItems): boolean {
  return isCut && items.every(isJudged);
}
