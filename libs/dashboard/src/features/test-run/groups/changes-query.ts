import type { TestRunItemRecord } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../shared/http/client.js';
import { itemsKey } from '../api/test-run-items.js';
import { differs } from './group-changes.js';

/** Calls that are grouped at most: each is loaded with its payloads. */
const MOST_GROUPED = 400;

export interface DifferingItems {
  items: TestRunItemRecord[];
  /** Whether the run may have more. */
  isCut: boolean;
}

/** The items that differ from their baseline with payloads, page by page, until a page has none. */
export const changesQuery = (id: string) =>
  queryOptions({
    queryKey: [...itemsKey(id), 'changes'],
    queryFn: async ({ signal }): Promise<DifferingItems> => {
      const items: TestRunItemRecord[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.testRuns.listItems(
          { id, worst_first: true, payloads: true, limit: 100, cursor },
          { signal },
        );
        const differing = page.items.filter(differs);
        items.push(...differing);
        if (differing.length === 0) return { items, isCut: false };
        cursor = page.next_cursor;
      } while (cursor !== undefined && items.length < MOST_GROUPED);
      return { items, isCut: cursor !== undefined };
    },
  });
