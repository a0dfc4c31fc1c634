import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import {
  startStoredSpansService,
  type StoredSpansService,
} from '../../../test/service/stored-spans-service.js';
import { Tracer } from '../../tracer.js';
import type { ReplayResult } from '../../replay-types.js';

/** What the end of a run asks of the service, in order. */
const STEPS = {
  spans: /\/ingest$/,
  reports: /\/items$/,
  counts: /\/test-runs\/run-1$/,
  decision: /\/finish$/,
};
type Step = keyof typeof STEPS;

const TIMEOUT_MS = 1_000;

describe('the end of a run whose service hangs', () => {
  let service: StoredSpansService;
  let tracer: Tracer;
  let hanging: readonly Step[];
  let spoolDir: string;

  beforeEach(async () => {
    const calls = [1, 2, 3].map((n) => ({
      trace_id: newTraceId(),
      span_id: newSpanId(),
      name: 'desk',
      type: 'llm' as const,
      status: 'ok' as const,
      started_at: '2026-01-31T12:00:00.000000Z',
      input: [n],
      output: n,
    }));
    service = await startStoredSpansService(() => calls, {
      instead: ({ path }) => (hanging.some((step) => STEPS[step].test(path)) ? 'hang' : undefined),
    });
    spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-end-'));
    tracer = new Tracer({
      apiKey: 'any-key',
      serviceUrl: service.url,
      delivery: { spoolDir },
      logger: { warn: () => undefined },
    });
  });
  afterEach(async () => {
    await tracer.shutdown(1);
    await service.close();
    rmSync(spoolDir, { recursive: true });
  });

  const replay = (timeoutMs: number): Promise<ReplayResult> =>
    tracer.replay('desk', (n: number) => n, { timeoutMs, gate: { changed: 0 } });
  const listRequestedSteps = (): Step[] =>
    (Object.keys(STEPS) as Step[]).filter((step) => service.calls.some(({ path }) => STEPS[step].test(path)));
  /** Resolves once the client has given up a request of the step. */
  const isAborted = async (step: Step): Promise<void> => {
    while (!service.aborted.some((path) => STEPS[step].test(path)))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it.each<[Step, Partial<ReplayResult>]>([
    ['spans', { status: 'finished', passed: true }],
    ['reports', { status: 'interrupted', passed: false }],
    ['counts', { status: 'finished', passed: true }],
    ['decision', { status: 'interrupted', passed: false }],
  ])('is told the decision, and passes only with its answer: %s', async (step, expected) => {
    hanging = [step];
    expect(await replay(TIMEOUT_MS)).toMatchObject({
      ...expected,
      totals: { items: 3, same: 3, missing: 0 },
    });
    expect(listRequestedSteps()).toEqual(expect.arrayContaining([step, 'decision']));
    // The tracer goes on to send spans after the run.
    if (step !== 'spans') await isAborted(step);
    expect(service.finished).toMatchObject(step === 'decision' ? [] : [{ status: expected.status }]);
  });

  it('takes at most one `timeoutMs` for all steps together', async () => {
    hanging = ['spans', 'reports', 'counts', 'decision'];
    const startedMs = performance.now();
    const { status, passed, totals } = await replay(TIMEOUT_MS);
    // With a second for each step it would take at least three: the rest is for a slow machine.
    expect(performance.now() - startedMs).toBeLessThan(3 * TIMEOUT_MS);
    expect({ status, passed, unstored: totals.unstored }).toEqual({
      status: 'interrupted',
      passed: false,
      unstored: 3,
    });
    await isAborted('reports');
    await isAborted('decision');
  });

  it('is divided in proportion when there is little time, so the decision always has a part', async () => {
    hanging = ['spans', 'reports'];
    await replay(TIMEOUT_MS);
    expect(service.finished).toMatchObject([{ status: 'interrupted' }]);
  });

  it.each<Step>(['reports', 'decision'])(
    'names the cure where there was little time for it: %s',
    async (step) => {
      hanging = [step];
      const { warnings } = await replay(TIMEOUT_MS);
      expect(warnings.join()).toContain('Raise timeoutMs: the service had only 1000 ms to confirm the run.');
      expect(warnings.join()).not.toContain('once it is back');
    },
  );

  it('does not wait where nothing hangs', async () => {
    hanging = [];
    expect(await replay(60_000)).toMatchObject({ status: 'finished', passed: true, warnings: [] });
    expect(service.aborted).toEqual([]);
  });
});
