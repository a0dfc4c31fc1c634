import {
  startStoredSpansService,
  type StoredSpansService,
} from '../../../test/service/stored-spans-service.js';
import { addExternalContext, removeExternalContext } from '../../context/external-context.js';
import { contextStorage } from '../../context/context-storage.js';
import { injectTraceContext } from '../../context/propagation.js';
import { type DeferredSpan, deferSpan } from '../../recording/deferred-span.js';
import { defineSpan } from '../../recording/span-definition.js';
import { runWithoutTracing, runWithTraceContext } from '../../recording/trace-context.js';
import { createTestTracer, type TestTracer } from '../../testing.js';
import { Tracer } from '../../tracer.js';
import type { ReplayItem } from '../../replay-types.js';

type Mail = (to: string) => unknown;

describe('a replay with mock does not run a mail that is called', () => {
  const sent: string[] = [];
  let recorded: TestTracer;
  let replaying: TestTracer;
  let service: StoredSpansService;

  beforeEach(async () => {
    recorded = createTestTracer();
    service = await startStoredSpansService(recorded.spans);
    replaying = createTestTracer({ serviceUrl: service.url });
  });

  afterEach(() => service.close());

  const createMail = (tracer: Tracer): Mail =>
    tracer.withSpan('mail', { mockOnReplay: true }, (to: string) => {
      sent.push(to);
      return `sent to ${to}`;
    });

  /** Records what `use` does with a mail, and plays it again. */
  async function replay(
    use: (mail: Mail, tracer: Tracer) => unknown,
    currentMail = createMail,
  ): Promise<ReplayItem> {
    const desk = ({ tracer }: TestTracer, make: typeof createMail): (() => unknown) =>
      tracer.withSpan('desk', () => use(make(tracer), tracer));
    desk(recorded, createMail)();
    sent.length = 0;
    const { items } = await replaying.tracer.replay('desk', desk(replaying, currentMail), { mock: 'marked' });
    return items[0]!;
  }

  it('in the trace of a carrier: it stays in that of the replay', async () => {
    const carriers = [
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` },
    ];
    for (const carrier of carriers) {
      const item = await replay((mail) => runWithTraceContext(carrier, () => mail('ann')));
      expect(item.error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS' });
      expect(sent).toEqual([]);
      expect(new Set(replaying.spans.map(({ trace_id }) => trace_id))).toEqual(new Set([item.traceId]));
      recorded.clear();
      replaying.clear();
    }
  });

  it('below a header that the replayed function wrote itself', async () => {
    const item = await replay((mail) =>
      runWithTraceContext(injectTraceContext({}), () => mail('ann'), { incoming: 'continue' }),
    );
    expect(item).toMatchObject({ result: 'sent to ann', divergences: [] });
    expect(sent).toEqual([]);
  });

  it('when nothing is traced, and calls made there are no difference', async () => {
    const item = await replay((mail, tracer) =>
      runWithoutTracing(() => {
        tracer.withSpan('lookup', () => 1)();
        try {
          return mail('ann');
        } catch {
          return 'not sent';
        }
      }),
    );
    expect(item).toMatchObject({ result: 'not sent', divergences: [{ kind: 'extra', path: ['mail'] }] });
    expect(item.divergences).toHaveLength(1);
  });

  it('where nothing is traced', async () => {
    const item = await replay((mail) => runWithoutTracing(() => mail('ann')));
    expect(item.error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS', askedArguments: '["ann"]' });
    expect(sent).toEqual([]);
  });

  it.each(['traced', 'excluded', 'over'] as const)('in a request to itself that is %s', async (kind) => {
    const definition = defineSpan({ key: 'request', name: 'request', onlyWithChildren: true });
    const item = await replay((mail, tracer) => {
      const request = deferSpan(tracer, {
        isOver: kind === 'over',
        describe: () => (kind === 'excluded' ? kind : { definition }),
      });
      return (request as DeferredSpan).run(() => mail('ann'));
    });
    expect(sent).toEqual([]);
    expect(item.divergences[0]).toMatchObject({ kind: 'extra' });
  });

  it('through a tracer that is off', async () => {
    const item = await replay(
      (mail) => mail('ann'),
      () => createMail(new Tracer({ enabled: false })),
    );
    expect(item.error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS', path: ['mail'] });
    expect(sent).toEqual([]);
    expect(createMail(new Tracer({ enabled: false }))('bob')).toBe('sent to bob');
  });

  it("inside a library's span that was open around the replay", async () => {
    const { tracer } = createTestTracer();
    const around = tracer.withSpan('agent', () => contextStorage.getStore())()!;
    const library = { position: () => ({ externalId: 'run', startedMs: Infinity, frame: around }) };
    recorded.tracer.withSpan('desk', () => createMail(recorded.tracer)('ann'))();
    sent.length = 0;
    addExternalContext(library);
    const desk = replaying.tracer.withSpan('desk', () => createMail(replaying.tracer)('ann'));
    const { items } = await replaying.tracer.replay('desk', desk, { mock: 'all' });
    removeExternalContext(library);
    expect(items).toMatchObject([{ result: 'sent to ann', divergences: [] }]);
    expect(sent).toEqual([]);
  });
});
