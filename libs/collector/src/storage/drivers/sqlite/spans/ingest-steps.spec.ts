import { newSpanId, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../../../../../test/support/remove-folder.js';
import { SystemClock } from '../../../../clock.js';
import { Connection } from '../connection.js';
import { openSqliteStorage } from '../open-sqlite-storage.js';
import { ingestSteps } from './ingest-steps.js';

const receivedAt = '2026-01-31T12:00:02.000000Z';
const directory = mkdtempSync(`${tmpdir()}/dacapo-ingest-steps-`);
let connection: Connection;

beforeAll(async () => {
  const storage = await openSqliteStorage(directory, new SystemClock());
  await storage.close();
  connection = await Connection.open({ path: join(directory, 'dacapo.db'), pragmas: [] });
});

afterAll(async () => {
  await connection.close();
  await removeFolder(directory);
});

const span = (fields: Partial<SpanRecord> = {}): SpanRecord => ({
  id: newSpanId(),
  trace_id: newTraceId(),
  trace_function_key: 'Answers.ask',
  name: 'ask',
  type: 'llm',
  status: 'ok',
  started_at: '2026-01-31T12:00:00.000000Z',
  ended_at: '2026-01-31T12:00:01.000000Z',
  session_id: 's1',
  trace_metadata: { plan: 'pro' },
  span_data: { input: ['?'], output: '!', usage: { model: 'm', input_tokens: 3 } },
  ...fields,
});

const everything = ingestSteps('acc_1', {
  batchId: 'b1',
  spans: [
    span(),
    span({ span_data: { prompt: 'large '.repeat(1000) } }),
    span({ status: 'unfinished' }),
    span({ span_data: { output: '!', meta: { continues: true } } }),
  ],
  traces: [{ id: newTraceId(), metadata: { plan: 'free' } }],
  receivedAt,
});

/** One row, rows of the batch, and what an earlier part of the same statement has put together. */
const SHORT = /^SCAN (?:tally|CONSTANT ROW|json_each|value|r|b|said|above|\()/;

it('finds by a key whatever a batch needs of those before it, so that it takes no longer the more there are', async () => {
  const looked: Record<string, string[]> = {};
  for (const { sql } of everything) {
    const plan = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    const scans = plan.flatMap(({ detail }) =>
      detail.startsWith('SCAN') && !SHORT.test(detail) ? [detail] : [],
    );
    if (scans.length > 0) looked[sql] = scans;
  }
  expect(looked).toEqual({});
});
