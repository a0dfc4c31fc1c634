import { isJsonObject, ProtocolError, type RefusedEntry } from '@dacapo/protocol';
import { check, NEW_DATASET_ITEM } from '@dacapo/protocol/api';
import { randomUUID } from 'node:crypto';
import type { NewDatasetItem } from '../storage/ports/dataset-change.js';

const ITEMS_AT_ONCE = 500;

/** Reads items one by one. Invalid ones go to `rejected`, with the reason. */
export async function* readItems(
  values: readonly unknown[],
  rejected: RefusedEntry[],
): AsyncGenerator<NewDatasetItem[]> {
  const ids = new Set<string>();
  for (let start = 0; start < values.length; start += ITEMS_AT_ONCE) {
    yield values.slice(start, start + ITEMS_AT_ONCE).flatMap((value, offset) => {
      try {
        const path = isJsonObject(value) ? '' : 'item';
        const item = { id: randomUUID(), ...check(NEW_DATASET_ITEM, value, { path }) };
        if (ids.has(item.id)) throw new ProtocolError('id', `is the id of an earlier item: ${item.id}`);
        ids.add(item.id);
        return [{ item }];
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        rejected.push({ index: start + offset, detail: error.message });
        return [];
      }
    });
    // Lets other requests run.
    await new Promise(setImmediate);
  }
}
