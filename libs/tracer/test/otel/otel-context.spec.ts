import fc from 'fast-check';
import { toW3cTraceId } from '@dacapo/protocol';
import { named } from '../adapters/outline.js';
import { bridge, type Bridged, CHAT, unbridge } from './bridged.js';

afterEach(unbridge);

/** Who opens a span: the tracer, or OpenTelemetry with or without AI content. Each has spans inside, at once or one after another. */
interface Call {
  kind: 'ours' | 'chat' | 'http';
  concurrent: boolean;
  inside: Call[];
}

const call: fc.Arbitrary<Call> = fc.letrec<{ call: Call }>((tie) => ({
  call: fc.record<Call>({
    kind: fc.constantFrom('ours', 'chat', 'http'),
    concurrent: fc.boolean(),
    inside: fc.oneof(
      { depthSize: 'small' },
      fc.constant<Call[]>([]),
      fc.array(tie('call'), { maxLength: 3 }),
    ),
  }),
})).call;

interface Expected {
  name: string;
  /** The nearest span around it that is recorded. */
  ours: string | undefined;
  /** The span right around it. */
  otel: string | undefined;
  kind: Call['kind'];
}

async function make(
  { tracer, otel }: Bridged,
  { kind, concurrent, inside }: Call,
  around: Pick<Expected, 'ours' | 'otel'>,
  expected: Expected[],
): Promise<void> {
  const name = `span ${expected.length}`;
  expected.push({ name, kind, ...around });
  const within = { ours: kind === 'http' ? around.ours : name, otel: name };
  const work = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    const calls = inside.map((one) => () => make({ tracer, otel } as Bridged, one, within, expected));
    if (concurrent) await Promise.all(calls.map((one) => one()));
    else for (const one of calls) await one();
  };
  if (kind === 'ours') await tracer.withSpan(name, { name }, work)();
  else
    await otel.startActiveSpan(
      name,
      { attributes: kind === 'chat' ? { ...CHAT, 'gen_ai.operation.name': 'invoke_agent' } : {} },
      async (span) => {
        await work();
        span.end();
      },
    );
}

describe('one context', () => {
  it('has the parent of each span right on both sides, however calls nest and overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 3 }), async (roots) => {
        const bridged = bridge();
        try {
          const expected: Expected[] = [];
          await Promise.all(
            roots.map((root) => make(bridged, root, { ours: undefined, otel: undefined }, expected)),
          );
          const recorded = expected.filter(({ kind }) => kind !== 'http');
          expect(bridged.spans).toHaveLength(recorded.length);
          for (const { name, ours } of recorded) {
            const span = named(bridged.spans, name);
            expect(span.parent_id).toBe(ours && named(bridged.spans, ours).id);
            expect(toW3cTraceId(span.trace_id)).toBe(bridged.exported(name).spanContext().traceId);
          }
          for (const { name, otel } of expected) {
            const parent = otel && bridged.exported(otel).spanContext().spanId;
            expect(bridged.exported(name).parentSpanContext?.spanId).toBe(parent);
          }
        } finally {
          await unbridge();
        }
      }),
      { numRuns: 60 },
    );
  });
});
