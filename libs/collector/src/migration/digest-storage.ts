import { listTraceGroups } from '../export/list-trace-groups.js';
import { splitBatches } from '../export/trace-lines.js';
import { MAIN_THREAD } from '../memory/turns.js';
import type { Storage } from '../storage/storage.js';
import { readPages } from './copy-rows.js';
import { readParts } from './read-parts.js';
import { StorageDigest } from './storage-digest.js';

/** Changes while batches are stored. */
const NOT_COMPARED = 'ingest_batches';

/** Reads everything that a storage holds. @param onRead receives how many rows or spans were read, and of what */
export async function digestStorage(
  { meta, spans }: Storage,
  accountIds: readonly string[],
  onRead: (what: string, count: number) => void,
): Promise<StorageDigest> {
  const digest = new StorageDigest();
  for (const table of await meta.transfers.listTables()) {
    if (table === NOT_COMPARED) continue;
    for await (const rows of readPages(meta, table)) {
      for (const row of rows) digest.add(String(row['account_id'] ?? ''), table, row);
      onRead(table, rows.length);
    }
  }
  for (const accountId of accountIds) {
    for await (const { traces, nodes } of listTraceGroups(spans, accountId, { filter: {} }, MAIN_THREAD)) {
      for (const parts of splitBatches(traces, nodes)) {
        const read = await readParts(spans, accountId, parts);
        for (const span of read.spans) digest.add(accountId, 'spans', span);
        for (const { listed, isEnd } of parts) {
          if (!isEnd) continue;
          const { id, started_at } = listed.trace;
          digest.add(accountId, 'traces', { id, started_at });
          for (const fact of read.facts.get(id) ?? []) digest.add(accountId, 'facts', fact);
        }
        onRead('spans', read.spans.length);
      }
    }
  }
  return digest;
}
