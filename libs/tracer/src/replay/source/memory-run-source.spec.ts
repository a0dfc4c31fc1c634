import { latency } from '@dacapo/evaluation';
import type { RecordedCallTree, SelectedCall } from '@dacapo/protocol';
import {
  startStoredSpansService,
  type StoredSpansService,
} from '../../../test/service/stored-spans-service.js';
import { Capturer } from '../../capture/capturer.js';
import type { RunOptions } from '../../options/replay-options.js';
import { ServiceClient } from '../../service/service-client.js';
import { createTestTracer, type TestTracer } from '../../testing.js';
import type { Replayable } from '../replay-call.js';
import type { ReplayResult } from '../../replay-types.js';
import { Replayer } from '../replayer.js';
import { MemoryRunSource } from './memory-run-source.js';
import type { RunSource } from './run-source.js';
import { ServiceRunSource } from './service-run-source.js';

const LABELS: Record<string, string> = { late: 'delivery', twice: 'billing', lost: 'delivery' };

/** What a result says apart from where it is stored and how long it took. */
function comparableFacts({ totals, scores, items, passed, failures, ranLive, status }: ReplayResult): object {
  const ids = { traceId: undefined, spanId: undefined };
  const known = items.map(({ durationMs, originalDurationMs, ...item }) => ({
    ...item,
    ...ids,
    isTimed: durationMs !== undefined,
    wasTimed: originalDurationMs !== undefined,
  }));
  return { totals, scores, items: known, passed, failures, ranLive, status };
}

describe('stored calls, replayed from memory and from a service', () => {
  let recorded: TestTracer;
  let test: TestTracer;
  let service: StoredSpansService;

  beforeEach(async () => {
    recorded = createTestTracer();
    service = await startStoredSpansService(recorded.spans);
    test = createTestTracer({ serviceUrl: service.url });
  });

  afterEach(() => service.close());

  const replay = (source: RunSource, fn: Replayable, options: RunOptions): Promise<ReplayResult> => {
    const replayer = new Replayer({
      source,
      isRecorded: true,
      codecs: [],
      hooks: undefined,
      nowMs: () => performance.now(),
      record: (key, plain) => test.tracer.withSpan(key, plain),
      capturer: new Capturer({}),
      onReportFailure: (error) => {
        throw error;
      },
    });
    return replayer.replay('desk', fn, options);
  };

  const serviceSource = (): RunSource =>
    new ServiceRunSource({
      service: new ServiceClient({ serviceUrl: service.url, apiKey: 'in-memory', timeoutMs: 5000 }),
      nowMs: () => performance.now(),
      flush: () => test.tracer.flush(),
      reportFiles: undefined,
      onReportFailure: () => undefined,
    });

  /** What the service selects, with all calls inside. */
  const storedCalls = async (): Promise<SelectedCall[]> => {
    const path = '/api/v1/test-runs';
    const body = JSON.stringify({ trace_function_key: 'desk', selection: {} });
    const { id } = (await (await fetch(service.url + path, { method: 'POST', body })).json()) as {
      id: string;
    };
    const page = await (await fetch(`${service.url}${path}/${id}/calls?descendants=true`)).json();
    return (page as { items: SelectedCall[] }).items;
  };

  const record = async (): Promise<void> => {
    const search = recorded.tracer.withSpan('search', (text: string) => [text]);
    const desk = recorded.tracer.withSpan('desk', async (text: string) => {
      search(text);
      if (text === 'bad') throw new Error('refused');
      return LABELS[text];
    });
    for (const text of ['late', 'twice', 'bad', 'lost']) await desk(text).catch(() => undefined);
  };

  const versions: [string, Replayable][] = [
    ['unchanged', (text) => answer(text, (label) => label)],
    ['with other outputs', (text) => answer(text, (label) => `${label}!`)],
    ['that always fails', () => Promise.reject(new Error('down'))],
    ['that calls something else', (text) => String(text).replace(/.+/, 'delivery')],
  ];
  const answer = async (text: unknown, label: (label: string) => string): Promise<string> => {
    test.tracer.withSpan('search', (query: unknown) => [query])(text);
    if (text === 'bad') throw new Error('refused');
    return label(LABELS[String(text)] ?? '');
  };

  it.each(versions)('have the same result for a version %s', async (_, fn) => {
    await record();
    const evaluators = {
      isLabel: ({ input, output }: { input: unknown; output: unknown }) => output === LABELS[String(input)],
    };
    const options: RunOptions = {
      evaluators,
      mock: 'all',
      gate: { changed: 0, errors: 1 },
      maxConcurrency: 1,
    };
    const fromMemory = await replay(new MemoryRunSource(await storedCalls()), fn, options);
    expect(comparableFacts(fromMemory)).toEqual(comparableFacts(await replay(serviceSource(), fn, options)));
    expect(fromMemory).toMatchObject({ testRunUrl: '', warnings: [] });
  });

  it('are the items of the given list, whatever else is stored', async () => {
    await record();
    const [first] = await storedCalls();
    const { items } = await replay(new MemoryRunSource([first!]), (text) => LABELS[String(text)], {});
    expect(items).toMatchObject([{ input: ['late'], verdict: 'same' }]);
  });

  it('fail as errors under `mock` when their inner calls are missing', async () => {
    await record();
    const [first] = await storedCalls();
    const { descendants, ...call } = first!.call as RecordedCallTree;
    expect(descendants).toHaveLength(1);
    const source = new MemoryRunSource([{ ...first!, call }]);
    const { items } = await replay(source, () => 'delivery', { mock: 'all' });
    expect(items).toMatchObject([{ verdict: 'error', error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } }]);
  });

  it('cannot be resumed from memory', async () => {
    await expect(replay(new MemoryRunSource([]), () => 1, { resume: 'run-1' })).rejects.toMatchObject({
      code: 'TRACER_INVALID_OPTION',
      message: expect.stringContaining('pass the tracer an apiKey') as string,
    });
  });
});

describe('a list, evaluated while tracing is off', () => {
  const { tracer } = createTestTracer({ enabled: false });
  const data = ['late', 'twice', 'lost'].map((input) => ({ input, expected: LABELS[input] }));
  const label = (text: string) => LABELS[text];

  it('has verdicts, scores and a decision, and no page', async () => {
    const started: string[] = [];
    const run = await tracer.evaluate(label, {
      data,
      evaluators: { isShort: ({ output }) => String(output).length < 8 },
      gate: { changed: 0, scores: { isShort: { min: 0.9 } } },
      onStart: ({ testRunUrl }) => started.push(testRunUrl),
    });
    expect(run).toMatchObject({
      totals: { items: 3, same: 3, missing: 0 },
      scores: { isShort: { n: 3 } },
      status: 'finished',
      passed: false,
      testRunUrl: '',
      warnings: [],
    });
    expect(started).toEqual(['']);
  });

  it('counts changes, failures and each repetition', async () => {
    const fn = (text: string) => {
      if (text === 'lost') throw new Error('no');
      return text === 'twice' ? 'other' : LABELS[text];
    };
    const run = await tracer.evaluate(fn, { data, repeat: 2, gate: { changed: 0, errors: 0 } });
    expect(run.totals).toMatchObject({ items: 6, same: 2, changed: 2, error: 2 });
    expect(run.passed).toBe(false);
    expect(run.failures).not.toHaveLength(0);
  });

  it('passes a gate that all items keep', async () => {
    const run = await tracer.evaluate(label, { data, gate: { changed: 0, errors: 0, unknown: 0 } });
    expect(run).toMatchObject({ passed: true, failures: [] });
  });

  it('has no score, and fails its gate, for inner calls that nobody recorded', async () => {
    const run = await tracer.evaluate(label, {
      data,
      evaluators: { neverPays: ({ calls }) => calls('pay').length === 0 },
      gate: { scores: { neverPays: { min: 1 } } },
    });
    expect(run.items.map(({ scores, modelCalls, usage }) => [scores, modelCalls, usage])).toEqual(
      data.map(() => [[], undefined, undefined]),
    );
    expect(run.passed).toBe(false);
  });

  it('measures durations of its own', async () => {
    const run = await tracer.evaluate(label, { data, evaluators: [latency({ maxMs: 60_000 })] });
    expect(run.scores['latency']).toMatchObject({ mean: 1, n: 3 });
  });
});
