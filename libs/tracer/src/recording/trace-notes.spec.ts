import {
  readPatchFacts,
  readSpanFacts,
  formatTimestamp,
  type JsonObject,
  parseSpanRecord,
  parseTraceRecord,
  type SpanRecord,
  TraceFacts,
  type TraceRecord,
} from '@dacapo/protocol';
import fc from 'fast-check';
import { decodeText } from '../byte-string.js';
import { Counters } from '../delivery/counters.js';
import {
  getCurrentSpan,
  getCurrentTrace,
  injectTraceContext,
  runWithTraceContext,
  Tracer,
} from '../index.js';
import { bind } from '../context/bind.js';
import { createTestTracer } from '../testing.js';

interface Recorded {
  readonly tracer: Tracer;
  readonly spans: SpanRecord[];
  readonly patches: TraceRecord[];
}

/** A tracer whose records are kept as they are sent. */
function setUp(): Recorded {
  const spans: SpanRecord[] = [];
  const patches: TraceRecord[] = [];
  const sink = {
    add: (line: Parameters<typeof decodeText>[0]) => {
      const { span, trace } = JSON.parse(decodeText(line)) as { span?: unknown; trace?: unknown };
      if (span !== undefined) spans.push(parseSpanRecord(span));
      else patches.push(parseTraceRecord(trace));
    },
    flush: () => Promise.resolve(true),
    shutdown: () => Promise.resolve(),
    stats: () => new Counters().toStats(),
  };
  return { tracer: new Tracer({ apiKey: 'key' }, { sink }), spans, patches };
}

function known({ spans, patches }: Omit<Recorded, 'tracer'>): object {
  const facts = new TraceFacts();
  for (const span of spans) facts.add(readSpanFacts(span));
  for (const patch of patches) facts.add(readPatchFacts(patch, formatTimestamp(0)));
  const { session_id, metadata, contexts } = facts.toRecord('');
  return { session_id, metadata, contexts };
}

const pickNotes = ({ name, session_id, trace_metadata, trace_contexts }: SpanRecord): unknown[] => [
  name,
  session_id,
  trace_metadata,
  trace_contexts,
];

describe('facts set on a trace', () => {
  it('need no record of their own: each later span carries the session, the root all others', () => {
    const { tracer, spans, patches } = setUp();
    const step = tracer.withSpan('step', (n: number) => {
      if (n === 2) {
        getCurrentTrace().setSessionId('chät-1');
        getCurrentTrace().setMetadata({ plan: 'pro', größe: 1 });
      }
      if (n === 3) getCurrentTrace().addContext({ city: 'Köln' });
    });
    tracer.withSpan('answer', () => {
      for (const n of [1, 2, 3]) step(n);
    })();
    expect(patches).toEqual([]);
    expect(spans.map(pickNotes)).toEqual([
      ['step', undefined, undefined, undefined],
      ['step', 'chät-1', undefined, undefined],
      ['step', 'chät-1', undefined, undefined],
      ['answer', 'chät-1', { plan: 'pro', größe: 1 }, { city: 'Köln' }],
    ]);
  });

  it('are sent as a patch, later than all spans, when the root has ended', async () => {
    const { tracer, spans, patches } = setUp();
    let late: Promise<void> | undefined;
    tracer.withSpan('k', () => {
      const trace = getCurrentTrace();
      trace.setSessionId('before');
      trace.setMetadata({ a: 1, b: 1 });
      late = Promise.resolve().then(() => {
        trace.setSessionId('after');
        trace.setMetadata({ b: 2 });
      });
    })();
    await late;
    expect(spans[0]).toMatchObject({ session_id: 'before', trace_metadata: { a: 1, b: 1 } });
    expect(patches).toMatchObject([{ session_id: 'after' }, { metadata: { b: 2 } }]);
    expect(patches.map(({ at = '' }) => at > spans[0]!.ended_at!)).toEqual([true, true]);
    expect(known({ spans, patches })).toEqual({ session_id: 'after', metadata: { a: 1, b: 2 } });
  });

  it('travels with a child that ends after the root', async () => {
    const { tracer, spans, patches } = setUp();
    const child = tracer.withSpan('child', async () => {
      await new Promise(setImmediate);
      getCurrentTrace().setSessionId('late');
      getCurrentTrace().setMetadata({ late: true });
    });
    const { running } = tracer.withSpan('root', () => ({ running: child() }))();
    await running;
    expect(spans.map(pickNotes)).toEqual([
      ['root', undefined, undefined, undefined],
      ['child', 'late', undefined, undefined],
    ]);
    expect(patches).toMatchObject([{ metadata: { late: true } }]);
  });

  it('leaves as a patch where another process has the root, and the session is on the spans all the same', () => {
    const [here, there] = [setUp(), setUp()];
    const serve = there.tracer.withSpan('serve', () => {
      getCurrentTrace().setSessionId('s');
      getCurrentTrace().setMetadata({ served: true });
    });
    here.tracer.withSpan('ask', () => {
      getCurrentTrace().setMetadata({ asked: true });
      runWithTraceContext(injectTraceContext({}), serve, { incoming: 'continue' });
    })();
    expect(here.patches).toEqual([]);
    expect(there.spans.map(pickNotes)).toEqual([['serve', 's', undefined, undefined]]);
    expect(there.patches).toMatchObject([{ id: here.spans[0]!.trace_id, metadata: { served: true } }]);
  });

  it('leaves as a patch with spans that have not ended, once', async () => {
    const { tracer, spans, patches } = setUp();
    let end = (): void => undefined;
    const running = tracer.withSpan('root', async () => {
      getCurrentTrace().setSessionId('s');
      getCurrentTrace().setMetadata({ a: 1 });
      await new Promise<void>((resolve) => (end = resolve));
    })();
    await tracer.shutdown();
    expect(spans.map(pickNotes)).toEqual([['root', undefined, undefined, undefined]]);
    expect(patches).toMatchObject([{ session_id: 's', metadata: { a: 1 } }]);
    end();
    await running;
    expect(patches).toHaveLength(1);
    expect(pickNotes(spans[1]!)).toEqual(['root', 's', undefined, undefined]);
  });

  it.each<[string, JsonObject]>([
    ['long', { a: 'x'.repeat(100_000) }],
    ['of many names', Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`key${n}`, n]))],
  ])('leaves as a patch beside the root where it is %s', (_, metadata) => {
    const { tracer, spans, patches } = setUp();
    tracer.withSpan('root', () => {
      getCurrentTrace().setSessionId('s');
      getCurrentTrace().setMetadata(metadata);
    })();
    expect(spans.map(pickNotes)).toEqual([['root', 's', undefined, undefined]]);
    expect(patches).toEqual([{ ...patches[0], metadata }]);
    expect(patches[0]).not.toHaveProperty('session_id');
  });

  it('of work that a trace left behind is no session, unless the work was bound', async () => {
    const { tracer, spans, patches } = setUp();
    const leave = tracer.withSpan('left', () => undefined);
    let left: Promise<void> | undefined;
    tracer.withSpan('root', () => {
      getCurrentTrace().setSessionId('s');
      left = new Promise(setImmediate).then(leave).then(bind(leave));
    })();
    await left;
    expect(spans.map((span) => [span.trace_function_key, span.session_id])).toEqual([
      ['root', 's'],
      ['left', undefined],
      ['left', 's'],
    ]);
    expect(patches).toEqual([]);
  });

  it('masks a session that was set before the first span', () => {
    const { tracer, spans } = setUp();
    const call = tracer.withSpan('k', () => getCurrentSpan().traceId);
    const carrier = { traceparent: '00-018f3c2e7d1a7b3c9f001234567890ab-00f067aa0ba902b7-01' };
    runWithTraceContext(carrier, () => {
      getCurrentTrace().setSessionId('user sk-proj-abcdefghijklmnop1234');
      call();
    });
    expect(spans[0]?.session_id).toMatch(/^user \[redacted:\w{12}\]$/);
  });

  it('are kept with an unsampled trace that an error brings back', () => {
    const { tracer, traces } = createTestTracer({ sampleRate: 0, keepErrors: true });
    const child = tracer.withSpan('child', (fails: boolean) => {
      getCurrentTrace().setSessionId('s');
      getCurrentTrace().setMetadata({ a: 1 });
      if (fails) throw new Error('no');
    });
    const root = tracer.withSpan('root', (fails: boolean) => {
      child(fails);
    });
    root(false);
    expect(traces).toEqual([]);
    expect(() => {
      root(true);
    }).toThrow('no');
    expect(traces).toMatchObject([{ session_id: 's', metadata: { a: 1 } }]);
  });

  it('have their last value, for any nested calls and any order of arrival', () => {
    type Work = { notes: { key: string; value: number }[]; calls: Work[] };
    const note = fc.record({ key: fc.constantFrom('session', 'a', 'b'), value: fc.nat(9) });
    const workArbitrary = (depth: number): fc.Arbitrary<Work> =>
      fc.record({
        notes: fc.array(note, { maxLength: 3 }),
        calls: depth === 0 ? fc.constant([]) : fc.array(workArbitrary(depth - 1), { maxLength: 3 }),
      });
    fc.assert(
      fc.property(workArbitrary(3), fc.infiniteStream(fc.nat()), fc.boolean(), (program, order, isSplit) => {
        const recorded = setUp();
        const other = setUp();
        const last: { session?: string; metadata: Record<string, number> } = { metadata: {} };
        const run = ({ notes, calls }: Work, depth: number): void => {
          const { tracer } = isSplit && depth === 1 ? other : recorded;
          tracer.withSpan('call', () => {
            for (const { key, value } of notes) {
              if (key === 'session') getCurrentTrace().setSessionId((last.session = `${value}`));
              else getCurrentTrace().setMetadata({ [key]: (last.metadata[key] = value) });
            }
            for (const call of calls) run(call, depth + 1);
          })();
        };
        run(program, 0);
        const shuffle = <T>(items: T[]): T[] =>
          items
            .map((item) => ({ item, place: order.next().value as number }))
            .sort((left, right) => left.place - right.place)
            .map(({ item }) => item);
        const facts = known({
          spans: shuffle([...recorded.spans, ...other.spans]),
          patches: shuffle([...recorded.patches, ...other.patches]),
        });
        expect(facts).toEqual({
          ...(last.session !== undefined && { session_id: last.session }),
          ...(Object.keys(last.metadata).length > 0 && { metadata: last.metadata }),
        });
        expect([...recorded.patches, ...other.patches]).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
