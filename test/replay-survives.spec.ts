import type { Page, TestRunItemSummary, TestRunRecord } from '@dacapo/protocol';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { killAfter } from './processes/kill-after.js';
import { runProgram } from './processes/program.js';

const PROGRAM = 'test/replay-survives/replay-slowly.mjs';

describe('a replay whose process is killed', () => {
  let service: DacapoServe;

  beforeAll(async () => {
    service = await startDacapoServe();
  });

  afterAll(() => service.close());

  it('counts each item once after it is resumed', async () => {
    const run = await killAfter(5, PROGRAM, service);
    expect(run.status).toBe('running');
    expect(run.totals.items).toBeLessThan(60);
    const resumed = await runProgram(PROGRAM, { ...service.env, RESUME: run.id });
    expect(resumed).toMatchObject({
      testRunId: run.id,
      status: 'finished',
      totals: { items: 60, same: 60, missing: 0 },
    });
    const after = await service.get<TestRunRecord>(`/test-runs/${run.id}`);
    expect(after).toMatchObject({ status: 'finished', totals: { items: 60, same: 60 } });
    const { items } = await service.get<Page<TestRunItemSummary>>(`/test-runs/${run.id}/items?limit=200`);
    expect(items.map(({ item_no }) => item_no).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, n) => n),
    );
  });

  it('decides on all items after it is resumed, including the scores of earlier items', async () => {
    const many = { ITEMS: '120', PAUSE_MS: '150' };
    const program = 'test/evaluation/evaluate-many.mjs';
    const run = await killAfter(20, program, service, many);
    expect(run.totals.items).toBeLessThan(120);
    const { replayed, ...resumed } = (await runProgram(program, {
      ...service.env,
      ...many,
      RESUME: run.id,
    })) as { replayed: number };
    expect(replayed).toBeLessThanOrEqual(120 - 20);
    expect(resumed).toMatchObject({
      testRunId: run.id,
      status: 'finished',
      passed: false,
      totals: { items: 120, same: 108, changed: 12, missing: 0 },
      scores: {
        similar: { n: 120, missing: 0 },
        noted: { n: 120, missing: 0, mean: 0.9 },
        long: { n: 120, missing: 0 },
      },
      failures: ['noted is 0.9 over 120 items; the gate requires at least 0.99.'],
    });
    const after = await service.get<TestRunRecord>(`/test-runs/${run.id}`);
    expect(after).toMatchObject({
      totals: { items: 120 },
      summary: { passed: false, scores: { noted: { n: 120 } } },
    });
  });
});
