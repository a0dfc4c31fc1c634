import { startCollector } from '@dacapo/collector';
import { newSpanId, newTraceId, type SpanRecord, toW3cTraceId } from '@dacapo/protocol';
import { Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

type Attributes = Record<string, string>;

/** A span of a service that is not ours, as OTLP/JSON has it. */
const foreignSpan = (
  traceId: string,
  spanId: string,
  parentSpanId: string | undefined,
  attributes: Attributes,
) => ({
  traceId,
  spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  name: 'work',
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
});

describe('a trace that came by OTLP', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-otlp-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
    for (const [parcel, city] of [
      ['7', 'Berlin'],
      ['8', 'Rome'],
    ] as const) {
      const traceId = toW3cTraceId(newTraceId());
      const agent = newSpanId();
      const spans = [
        foreignSpan(traceId, agent, undefined, {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'desk',
          'gen_ai.input.messages': JSON.stringify([
            { role: 'user', parts: [{ type: 'text', content: `Where is parcel ${parcel}?` }] },
          ]),
          'output.value': `In ${city}`,
          'app.parcel': parcel,
        }),
        foreignSpan(traceId, newSpanId(), agent, {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'track',
          'gen_ai.tool.call.arguments': JSON.stringify({ id: Number(parcel) }),
          'gen_ai.tool.call.result': JSON.stringify({ city }),
        }),
      ];
      const answer = await fetch(`${collector.url}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${collector.apiKey ?? ''}` },
        body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
      });
      expect([answer.status, await answer.json()]).toEqual([200, {}]);
    }
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  /** The port of the service to TypeScript. */
  const port = (outside: number[]) => {
    const track = tracer.withSpan('track', { type: 'function' }, async ({ id }: { id: number }) => {
      outside.push(id);
      return Promise.resolve({ city: 'nowhere' });
    });
    return async (parcel: number): Promise<string> => `In ${(await track({ id: parcel })).city}`;
  };

  it('is replayed with arguments made of its spans, and its tool spans answer mocks', async () => {
    const outside: number[] = [];
    const run = await tracer.replay('desk', port(outside), {
      from: 'otlp',
      args: ({ attributes }) => [Number(attributes['app.parcel'])],
      mock: 'all',
    });
    expect(run.items.map(({ input, result, verdict }) => [input, result, verdict])).toEqual([
      [[8], 'In Rome', 'same'],
      [[7], 'In Berlin', 'same'],
    ]);
    expect(run.items.flatMap(({ divergences }) => divergences)).toEqual([]);
    expect(outside).toEqual([]);
  });

  it('has arguments that adaptArgs converts', async () => {
    const run = await tracer.replay('desk', port([]), {
      from: 'otlp',
      args: ({ input }) => [input],
      adaptArgs: ([messages]) => [
        Number(/\d+/.exec((messages as { content: string }[])[0]?.content ?? '')?.[0]),
      ],
      mock: 'all',
    });
    expect(run.totals).toMatchObject({ items: 2, same: 2 });
  });

  it('is not replayable without, and the error says what to write', async () => {
    const run = await tracer.replay('desk', port([]));
    expect(run.items[0]?.error).toMatchObject({
      code: 'TRACER_CALL_NOT_REPLAYABLE',
      message: expect.stringContaining("from: 'otlp'") as string,
    });
  });

  it.each([{ from: 'otlp' as const }, { args: () => [] }])(
    'needs both options, not %j alone',
    async (options) => {
      await expect(tracer.replay('desk', port([]), options)).rejects.toMatchObject({
        code: 'TRACER_INVALID_OPTION',
        message: expect.stringContaining('requires') as string,
      });
    },
  );

  it('is an error of the item when args returns no list', async () => {
    const args = (() => 'text') as unknown as () => unknown[];
    const run = await tracer.replay('desk', port([]), { from: 'otlp', args });
    expect(run.items[0]?.error).toMatchObject({
      message: expect.stringContaining('must return a list') as string,
    });
  });

  it('and a span that a tracer recorded are in one trace', async () => {
    const traceIds: string[] = [];
    const answer = tracer.withSpan('answer', () => {
      traceIds.push(tracer.getCurrentSpan().traceId);
    });
    answer();
    await tracer.flush();
    const [id = ''] = traceIds;
    const spans = [
      foreignSpan(toW3cTraceId(id), newSpanId(), undefined, { 'gen_ai.operation.name': 'chat' }),
    ];
    const headers = { 'content-type': 'application/json', 'api-key': collector.apiKey ?? '' };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    await fetch(`${collector.url}/v1/traces`, { method: 'POST', headers, body });
    const trace = await fetch(`${collector.url}/api/v1/traces/${id}`, { headers });
    expect(((await trace.json()) as { spans: SpanRecord[] }).spans).toHaveLength(2);
  });
});
