import type {
  Page,
  SpanRecord,
  TestRunItemRecord,
  TestRunRecord,
  TraceDetail,
  TraceSummary,
} from '@dacapo/protocol';
import { spanTree } from './main-job/span-tree.js';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { runProgram } from './processes/program.js';

let service: DacapoServe;

beforeAll(async () => {
  service = await startDacapoServe();
});

afterAll(() => service.close());

describe('a trace of ten nested and parallel spans', () => {
  let trace: TraceDetail;
  let stats: unknown;

  beforeAll(async () => {
    const printed = (await runProgram('test/main-job/ten-spans.mjs', service.env)) as {
      traceId: string;
      stats: unknown;
    };
    stats = printed.stats;
    trace = await service.get<TraceDetail>(`/traces/${printed.traceId}`);
  });

  it('SPEC 4.2 rule 3: arrives complete, each span below its caller', () => {
    expect(spanTree(trace.spans)).toEqual([
      'plan-trip (agent)',
      '  read-map (function)',
      '  flights (agent)',
      '    price (function)',
      '    price (function)',
      '  hotels (agent)',
      '    rate (llm)',
      '  remind (handoff)',
      '  write (llm)',
      '    check (guardrail)',
    ]);
  });

  it('is found by its session', async () => {
    const { items } = await service.get<Page<TraceSummary>>('/traces?session_id=traveller');
    expect(items.map(({ id }) => id)).toEqual([trace.id]);
  });

  it('has its inputs, outputs and prompt', async () => {
    const { id } = trace.spans.find(({ trace_function_key }) => trace_function_key === 'rate')!;
    const span = await service.get<SpanRecord>(`/traces/${trace.id}/spans/${id}`);
    expect(span.span_data).toMatchObject({ input: ['Turin Inn'], output: 4, prompt: 'Rate Turin Inn' });
  });

  it('is the only recorded trace', () => {
    expect(stats).toMatchObject({ waiting: 0 });
  });
});

describe('a replay of fifty calls through a version that throws for three', () => {
  interface Printed {
    testRunId: string;
    testRunUrl: string;
    items: { input: unknown; result?: unknown; originalOutput: unknown; error?: string }[];
  }
  let replay: Printed;
  let items: TestRunItemRecord[];

  beforeAll(async () => {
    replay = (await runProgram('test/main-job/replay-fifty.mjs', service.env)) as Printed;
    ({ items } = await service.get<Page<TestRunItemRecord>>(
      `/test-runs/${replay.testRunId}/items?limit=200`,
    ));
  });

  it('SPEC 2.8: returns fifty items, each with input, original and new output or error', () => {
    expect(replay.items).toHaveLength(50);
    expect(replay.items.at(-1)).toMatchObject({
      input: [{ no: 0, price: 0 }],
      originalOutput: { order: 0, total: 0 },
      result: { order: 0, total: 0 },
    });
  });

  it('SPEC 7: turns a call that throws into an item with its error, and replays the others', () => {
    const errors = replay.items.map(({ error }) => error).filter((error) => error !== undefined);
    expect(errors.sort()).toEqual(['No tax for 27', 'No tax for 47', 'No tax for 7']);
  });

  it('is counted by the service as same, changed and error', async () => {
    const run = await service.get<TestRunRecord>(`/test-runs/${replay.testRunId}`);
    expect(run).toMatchObject({
      status: 'finished',
      trace_function_key: 'quote',
      totals: { items: 50, same: 9, changed: 38, error: 3 },
    });
  });

  it('links each new span to the run and to the replayed span', async () => {
    expect(items).toHaveLength(50);
    const linked = await Promise.all(
      items.map(async ({ new_trace_id, new_span_id, source_span_id }) => {
        const span = await service.get<SpanRecord>(`/traces/${new_trace_id}/spans/${new_span_id}`);
        return span.test_run_id === replay.testRunId && span.source_span_id === source_span_id;
      }),
    );
    expect(linked).toEqual(items.map(() => true));
  });

  it('has a page at its testRunUrl', async () => {
    const page = await fetch(replay.testRunUrl);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch('text/html');
    expect(await page.text()).toMatch('Dacapo');
  });

  it('is not replayed itself the next time', async () => {
    const again = (await runProgram('test/main-job/replay-fifty.mjs', service.env)) as Printed;
    // The first fifty and fifty more recorded calls, but none of the fifty replayed ones.
    expect(again.items).toHaveLength(100);
  });
});
