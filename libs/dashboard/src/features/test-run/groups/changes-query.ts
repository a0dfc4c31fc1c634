import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../shared/http/client.js';
import { itemsKey } from '../api/test-run-items.js';
import { collectDiffering } from './differing-items.js';

/** The items that differ from their baseline, with payloads. */
export const changesQuery = (id: string) =>
  queryOptions({
    queryKey: [...itemsKey(id), 'changes'],
    queryFn: ({ signal }) =>
      collectDiffering((cursor) =>
        client.testRuns.listItems({ id, worst_first: true, payloads: true, limit: 100, cursor }, { signal }),
      ),
  });
