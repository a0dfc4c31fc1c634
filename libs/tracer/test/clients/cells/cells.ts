import type { ModelReply } from '../../model-server/model-reply.js';
import type { ModelRequest } from '../../model-server/model-request.js';
import type { VendorApi } from './vendor-api.js';

/** What a client gives an application. */
interface Outcome {
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
}

interface Cell {
  /** How the server answers a request of the cell; `asked` counts from 0. */
  reply(request: ModelRequest, requestCount: number): ModelReply;
  run(api: VendorApi, model: string): Promise<unknown>;
}

const TEXT = 'A mild day in Oslo.';
const answering = (reply: ModelReply) => (): ModelReply => ({ text: TEXT, ...reply });

/** What an application does with a client, and what can befall it. */
export const CELLS = {
  'a plain call': { reply: answering({}), run: (api, model) => api.plain(model) },
  'a stream': { reply: answering({}), run: async (api, model) => readAll(await api.stream(model)) },
  'a helper': { reply: answering({}), run: (api, model) => api.helper(model) },
  tools: {
    reply: ({ toolResult }) =>
      toolResult === ''
        ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
        : { text: toolResult },
    run: (api, model) => api.tools(model),
  },
  'structured output': {
    reply: answering({ text: '{"mild":true}' }),
    run: (api, model) => api.structured(model),
  },
  'a 429 that is tried again': {
    reply: (_, requestCount) =>
      requestCount === 0 ? { status: 429, headers: { 'retry-after-ms': '1' } } : { text: TEXT },
    run: (api, model) => api.plain(model),
  },
  'a 500': {
    reply: answering({ status: 500, headers: { 'x-should-retry': 'false' } }),
    run: (api, model) => api.plain(model),
  },
  'a stream whose connection breaks': {
    reply: answering({ breakAfter: 2 }),
    run: async (api, model) => readAll(await api.stream(model)),
  },
  'a stream that its reader leaves': {
    reply: answering({}),
    run: async (api, model) => {
      for await (const chunk of await api.stream(model)) return chunk;
      return undefined;
    },
  },
  'an abort before the answer': {
    reply: answering({ hang: true }),
    run: (api, model) => {
      const controller = new AbortController();
      setImmediate(() => {
        controller.abort();
      });
      return api.aborting(model, controller.signal);
    },
  },
  'an abort in mid-stream': {
    reply: answering({ hangAfter: 2 }),
    run: async (api, model) => {
      const controller = new AbortController();
      let read = 0;
      for await (const chunk of await api.stream(model, undefined, controller.signal))
        if (++read === 2 && chunk !== undefined)
          setImmediate(() => {
            controller.abort();
          });
      return read;
    },
  },
  'malformed JSON': { reply: answering({ malformed: true }), run: (api, model) => api.plain(model) },
  'malformed JSON in mid-stream': {
    reply: answering({ malformedAt: 1 }),
    run: async (api, model) => readAll(await api.stream(model)),
  },
  'twenty calls at one time': {
    reply: ({ text }) => ({ text: `to ${text}` }),
    run: (api, model) =>
      Promise.all(
        Array.from({ length: 20 }, async (_, index) =>
          readAll(await api.stream(model, `question ${index}.`)),
        ),
      ),
  },
} satisfies Record<string, Cell>;

export type CellName = keyof typeof CELLS;
export const CELL_NAMES = Object.keys(CELLS) as CellName[];

/** A model server's answers: the name of the model, without its place in the list, is that of the cell. */
export function replyToCells(): (request: ModelRequest) => ModelReply {
  const requestCount = new Map<string, number>();
  return (request) => {
    const count = requestCount.get(request.model) ?? 0;
    requestCount.set(request.model, count + 1);
    const name = CELL_NAMES[Number(request.model.replace('cell-', ''))];
    return name === undefined ? {} : CELLS[name].reply(request, count);
  };
}

export function cellModel(name: CellName): string {
  return `cell-${CELL_NAMES.indexOf(name)}`;
}

/** What comes of a cell, as JSON: the answer, or the error with all that an application looks at. */
async function runCell(name: CellName, api: VendorApi): Promise<Outcome> {
  try {
    return { result: plain(await CELLS[name].run(api, cellModel(name))) };
  } catch (error) {
    const { name: kind, message: said, status, code, type } = error as Error & Record<string, unknown>;
    // The servers of the two clients have a port each.
    const message = said.replace(/127\.0\.0\.1:\d+/, 'host');
    return { error: { class: (error as object).constructor.name, kind, message, status, code, type } };
  }
}

/** What comes of a cell with a bare and a wrapped client, and what was recorded of it. */
export interface CellRun<S = unknown> {
  readonly bare: Outcome;
  readonly wrapped: Outcome;
  readonly spans: readonly S[];
}

export async function runCells<S>(
  bare: VendorApi,
  wrapped: VendorApi,
  spans: readonly S[],
  without?: CellName,
): Promise<Record<CellName, CellRun<S>>> {
  const runs: [CellName, CellRun<S>][] = [];
  for (const name of CELL_NAMES) {
    if (name === without) continue;
    const before = spans.length;
    const outcomes = { bare: await runCell(name, bare), wrapped: await runCell(name, wrapped) };
    runs.push([name, { ...outcomes, spans: spans.slice(before) }]);
  }
  return Object.fromEntries(runs) as Record<CellName, CellRun<S>>;
}

async function readAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** Without the headers of the connection, which tell the time. */
export function plain(value: unknown): unknown {
  const text = JSON.stringify({ value }, (key, member: unknown) =>
    key === 'sdkHttpResponse' ? undefined : member,
  );
  return (JSON.parse(text) as { value?: unknown }).value;
}
