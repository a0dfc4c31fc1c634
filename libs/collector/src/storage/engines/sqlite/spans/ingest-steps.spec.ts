import { newSpanId, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../../../../../test/support/remove-folder.js';
import { SystemClock } from '../../../../clock.js';
import { Connection } from '../connection.js';
import { openSqliteStorage } from '../open-sqlite-storage.js';
import { setImmediate } from 'node:timers/promises';
import type { IngestBatch } from '../../../ports/span-store.js';
import { ingestSteps, splitBatch } from './ingest-steps.js';

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

const { steps: everything } = ingestSteps('acc_1', {
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

it('finds earlier rows by a key, so that a batch takes no longer in a larger database', async () => {
  const looked: Record<string, string[]> = {};
  for (const step of everything) {
    if ('call' in step) continue;
    const { sql } = step;
    const plan = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    const scans = plan.flatMap(({ detail }) =>
      detail.startsWith('SCAN') && !SHORT.test(detail) ? [detail] : [],
    );
    if (scans.length > 0) looked[sql] = scans;
  }
  expect(looked).toEqual({});
});

const large = (): IngestBatch => ({
  batchId: 'large',
  spans: Array.from({ length: 250 }, () => span({ span_data: { prompt: 'large '.repeat(700) } })),
  traces: [{ id: newTraceId(), metadata: { plan: 'free' } }],
  receivedAt,
});

it('splits a large batch into pieces, the last of which has its id and its patches', () => {
  const batch = large();
  const pieces = splitBatch(batch, new Map());
  expect(pieces.flatMap(({ spans }) => spans)).toEqual(batch.spans);
  expect(Math.max(...pieces.map(({ spans }) => spans.length))).toBeLessThan(25);
  expect(pieces.flatMap(({ batchId }) => batchId ?? [])).toEqual(['large']);
  expect(pieces.at(-1)).toMatchObject({ batchId: 'large', traces: batch.traces });
});

describe('while several accounts write', () => {
  const open = () => openSqliteStorage(join(directory, 'shared'), new SystemClock());
  let storage: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    storage = await open();
    await storage.spans.ingest('acc_small', { spans: [span()], traces: [], receivedAt });
  });

  afterAll(() => storage.close());

  it('stores a small batch before the end of a large one that another account sent before it', async () => {
    const order: string[] = [];
    const storing = storage.spans.ingest('acc_large', large()).then(() => order.push('large'));
    while ((await storage.spans.listTraceFunctionKeys('acc_large')).length === 0) await setImmediate();
    const batch = { spans: [span()], traces: [], receivedAt };
    await storage.spans.ingest('acc_small', batch).then(() => order.push('small'));
    await storing;
    expect(order).toEqual(['small', 'large']);
  });

  it('stores a large batch once, however often it is sent', async () => {
    const batch = { ...large(), batchId: 'twice' };
    const ingest = () => storage.spans.ingest('acc_twice', batch);
    expect((await Promise.all([ingest(), ingest()])).map(({ duplicate }) => duplicate)).toEqual([
      false,
      true,
    ]);
    expect(await ingest()).toEqual({ duplicate: true, dropped: 0 });
    const [key] = await storage.spans.listTraceFunctionKeys('acc_twice');
    expect(key).toMatchObject({ span_count: 250 });
  });
});
