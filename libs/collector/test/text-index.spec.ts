import { type Storage, SystemClock } from '@dacapo/collector';
import type { TraceList } from '../src/storage/span-store.js';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import { Connection } from '../src/storage/drivers/sqlite/connection.js';
import { parseTextQuery } from '../src/storage/text-query.js';
import { span, startedAt } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';
import { join } from 'node:path';

const ACCOUNT = 'acc';
const RECEIVED = startedAt(50);

function search(storage: Storage, text: string): Promise<TraceList> {
  return storage.spans.listTraces(ACCOUNT, { span: { text: parseTextQuery(text) } }, { limit: 5 });
}

/** Asks until all is looked through. */
async function searchAll(storage: Storage, text: string): Promise<string[]> {
  for (;;) {
    const { traces, textIndexedUntil } = await search(storage, text);
    if (textIndexedUntil === undefined) return traces.map(({ trace }) => trace.name);
  }
}

describe('the index of texts', () => {
  it('takes in the spans of a database from before it, in the background, and says until when it has', async () => {
    const dataDir = temporaryDirectory();
    const before = await openSqliteStorage(dataDir, new SystemClock());
    const spans = Array.from({ length: 2000 }, (_, index) =>
      span({ name: `n${index}`, span_data: { output: `said word${index}` } }),
    );
    await before.spans.ingest(ACCOUNT, { spans, traces: [], receivedAt: RECEIVED });
    await before.close();
    // As a migration leaves it.
    const writer = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    await writer.write([
      { sql: 'DELETE FROM span_text WHERE rowid <= (SELECT upto FROM text_index)', rows: [[]] },
      { sql: 'UPDATE text_index SET upto = 0', rows: [[]] },
    ]);
    await writer.close();

    const after = await openSqliteStorage(dataDir, new SystemClock());
    expect((await search(after, 'word1')).textIndexedUntil).toBe(RECEIVED);
    expect(await searchAll(after, 'word1')).toEqual(['n1']);
    expect(await searchAll(after, 'word1999')).toEqual(['n1999']);
    await after.close();
  });
});
