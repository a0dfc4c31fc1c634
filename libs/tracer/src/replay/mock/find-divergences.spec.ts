import {
  startStoredSpansService,
  type StoredSpansService,
} from '../../../test/service/stored-spans-service.js';
import { injectTraceContext } from '../../context/propagation.js';
import { runWithTraceContext } from '../../recording/trace-context.js';
import { createTestTracer } from '../../testing.js';
import type { Tracer } from '../../tracer.js';
import type { ReplayOptions } from '../../options/replay-options.js';
import type { ReplayDivergence } from '../../replay-types.js';

/** A call of a key with one argument, and the calls that it makes itself. */
interface Call {
  readonly key: string;
  readonly argument: unknown;
  readonly inner: readonly Step[];
}
/** One call, or several at one time. */
type Step = Call | readonly Call[];

const call = (key: string, argument: unknown, ...inner: Step[]): Call => ({ key, argument, inner });

describe('the divergences of a replay', () => {
  const services: StoredSpansService[] = [];

  afterEach(async () => {
    for (const service of services.splice(0)) await service.close();
  });

  /** Records a version that makes some calls, and plays it again as one that makes others. */
  async function replaySteps(
    before: Step[],
    after: Step[],
    options: ReplayOptions = { mock: 'marked' },
  ): Promise<ReplayDivergence[]> {
    let nowMs = 0;
    const clock = { wallMs: () => 1_700_000_000_000, monotonicMs: () => (nowMs += 1) };
    const recorded = createTestTracer({}, { clock });
    await createDesk(recorded.tracer, before)();
    const service = await startStoredSpansService(recorded.spans);
    services.push(service);
    const { tracer } = createTestTracer({ serviceUrl: service.url }, { clock });
    const { items } = await tracer.replay('desk', createDesk(tracer, after), options);
    expect(service.reports[0]?.divergences).toHaveLength(items[0]?.divergences.length ?? -1);
    return items[0]?.divergences ?? [];
  }

  function createDesk(tracer: Tracer, steps: readonly Step[]): () => Promise<void> {
    const make = async ({ key, argument, inner }: Call): Promise<unknown> =>
      tracer.withSpan(key, async (value: unknown) => {
        await Promise.resolve();
        for (const step of inner) await run(step);
        return value;
      })(argument);
    const run = async (step: Step): Promise<unknown> =>
      'key' in step ? make(step) : Promise.all(step.map(make));
    return tracer.withSpan('desk', async () => {
      for (const step of steps) await run(step);
    });
  }

  it.each<[string, Step[], Step[], number]>([
    [
      'two calls that changed places below others',
      [call('plan', 'a', call('mail', 1)), call('plan', 'b', call('mail', 2))],
      [call('plan', 'a', call('mail', 2)), call('plan', 'b', call('mail', 1))],
      2,
    ],
    [
      'two that changed places below calls of others with equal arguments',
      [
        call('plan', 'a', call('step', 0, call('mail', 1))),
        call('plan', 'b', call('step', 0, call('mail', 2))),
      ],
      [
        call('plan', 'a', call('step', 0, call('mail', 2))),
        call('plan', 'b', call('step', 0, call('mail', 1))),
      ],
      2,
    ],
    [
      'none below calls that nothing tells apart',
      [[call('plan', 'a', call('mail', 1)), call('plan', 'a', call('mail', 2))]],
      [[call('plan', 'a', call('mail', 2)), call('plan', 'a', call('mail', 1))]],
      0,
    ],
  ])('tell %s', async (_, before, after, count) => {
    for (const options of [
      { mock: 'none' },
      { mock: 'all', live: [{ key: 'plan' }, { key: 'step' }] },
    ] as const) {
      const found = await replaySteps(before, after, options);
      expect(found.map(({ kind, path }) => [kind, path.at(-1)])).toEqual(
        Array.from({ length: count }, () => ['reordered', 'mail']),
      );
    }
  });

  it('are empty when the same calls are made', async () => {
    const calls = [call('a', 1), call('a', 1), call('b', { x: 1, y: 2 }, call('c', 3))];
    expect(await replaySteps(calls, calls)).toEqual([]);
    expect(await replaySteps(calls, calls, { mock: 'all' })).toEqual([]);
  });

  it('exclude what another service did', async () => {
    const recorded = createTestTracer();
    const inOtherService = recorded.tracer.withSpan('stock.find', () => 3);
    const serve = (headers: Record<string, string>): number =>
      runWithTraceContext(headers, () => inOtherService(), { incoming: 'continue' });
    recorded.tracer.withSpan('desk', () => serve(injectTraceContext({})))();
    const service = await startStoredSpansService(recorded.spans);
    services.push(service);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay('desk', () => 3, { mock: 'marked' });
    expect(items).toMatchObject([{ result: 3, divergences: [] }]);
  });

  it('are a call that was recorded and is not made, without those inside it', async () => {
    const before = [call('a', 1), call('b', 2, call('c', 3))];
    expect(await replaySteps(before, [call('a', 1)])).toEqual([
      { kind: 'missing', path: ['b'], sourceSpanId: expect.any(String), recordedArguments: '[2]' },
    ]);
  });

  it('are a call that is made and was not recorded, without those inside it', async () => {
    const after = [call('a', 1), call('b', 2, call('c', 3))];
    expect(await replaySteps([call('a', 1)], after)).toEqual([
      { kind: 'extra', path: ['b'], spanId: expect.any(String), newArguments: '[2]' },
    ]);
  });

  it('are changed arguments, of the call that is nearest', async () => {
    const before = [call('mail', { to: 'ann', text: 'hi' }), call('mail', { to: 'bob', text: 'hi' })];
    const after = [call('mail', { text: 'hi', to: 'bob' }), call('mail', { to: 'ann', text: 'hello' })];
    expect(await replaySteps(before, after)).toEqual([
      {
        kind: 'changed_arguments',
        path: ['mail'],
        sourceSpanId: expect.any(String),
        spanId: expect.any(String),
        recordedArguments: '[{"text":"hi","to":"ann"}]',
        newArguments: '[{"text":"hello","to":"ann"}]',
      },
    ]);
  });

  it('are the fewest calls that changed their turn', async () => {
    const order = (...keys: string[]): Call[] => keys.map((key) => call(key, 0));
    const found = await replaySteps(order('a', 'b', 'c', 'd'), order('d', 'a', 'b', 'c'));
    expect(found).toMatchObject([{ kind: 'reordered', path: ['d'] }]);
  });

  it('are not the turns of calls that ran at one time', async () => {
    const before = [[call('a', 1), call('a', 2)], call('b', 1)];
    const after = [[call('a', 2), call('a', 1)], call('b', 1)];
    expect(await replaySteps(before, after)).toEqual([]);
  });

  it('are on their paths, below equal calls', async () => {
    const before = [call('group', 1, call('a', 1)), call('group', 2, call('a', 2))];
    const after = [call('group', 1, call('a', 1)), call('group', 2, call('a', 9), call('b', 0))];
    expect(await replaySteps(before, after)).toMatchObject([
      { kind: 'changed_arguments', path: ['group', 'a'], recordedArguments: '[2]', newArguments: '[9]' },
      { kind: 'extra', path: ['group', 'b'] },
    ]);
  });

  it('are not searched inside a call that was answered from the recording', async () => {
    const before = [call('group', 1, call('a', 1))];
    expect(await replaySteps(before, [call('group', 1)], { mock: 'all' })).toEqual([]);
    expect(await replaySteps(before, [call('group', 1)])).toMatchObject([{ kind: 'missing' }]);
  });

  it('are sent to the service up to a hundred, with their number', async () => {
    const recorded = createTestTracer();
    await createDesk(recorded.tracer, [])();
    const service = await startStoredSpansService(recorded.spans);
    services.push(service);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const extras = Array.from({ length: 130 }, (_, n) => call('a', n));
    const { items } = await tracer.replay('desk', createDesk(tracer, extras), { mock: 'marked' });
    expect(items[0]?.divergences).toHaveLength(130);
    expect(service.reports[0]?.divergences).toHaveLength(100);
    expect(service.reports[0]?.divergence_count).toBe(130);
  });
});
