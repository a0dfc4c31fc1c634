import type { SpanRecord, TraceDetail } from '@dacapo/protocol';

/** What a conversation with a model must have in common, whoever recorded it. */
export interface Conversation {
  /** Keys of spans, or `llm` for a request to a model, indented by depth. */
  tree: string[];
  input: unknown;
  usage: unknown[];
  cost: number | undefined;
  spans: SpanRecord[];
}

/** The messages of the second request to the model of `test/otlp-senders`. */
export const MESSAGES = [
  { role: 'system', said: ['Be brief'], called: [] },
  { role: 'user', said: ['Where is parcel 7?'], called: [] },
  { role: 'assistant', said: [], called: [['track', { id: 7 }]] },
  { role: 'tool', said: ['Berlin'], called: [] },
];

/** Where a trace is read. */
export interface Reader {
  readonly url: string;
  readonly apiKey?: string;
}

async function get<T>({ url, apiKey = '' }: Reader, path: string): Promise<T> {
  return (await (await fetch(url + path, { headers: { 'api-key': apiKey } })).json()) as T;
}

/** The ids of all traces, newest first. */
export async function listTraceIds(reader: Reader): Promise<string[]> {
  const { items } = await get<{ items: { id: string }[] }>(reader, '/api/v1/traces?limit=100');
  return items.map(({ id }) => id);
}

export async function readConversation(reader: Reader, traceId: string): Promise<Conversation> {
  const trace = await get<TraceDetail>(reader, `/api/v1/traces/${traceId}`);
  const spans = await Promise.all(
    trace.spans.map(({ id }) => get<SpanRecord>(reader, `/api/v1/traces/${traceId}/spans/${id}`)),
  );
  const calls = spans
    .filter(({ type, span_data }) => type === 'llm' && span_data.usage?.input_tokens !== undefined)
    .sort((a, b) => (a.started_at < b.started_at ? -1 : 1));
  const request = calls[1]?.span_data.input?.[0] as { messages?: unknown } | unknown[] | undefined;
  return {
    tree: outline(spans),
    input: request && normalize(Array.isArray(request) ? request : request.messages),
    usage: calls.map(({ span_data: { usage = {} } }) => [
      usage.model,
      usage.response_model,
      usage.input_tokens,
      usage.output_tokens,
    ]),
    cost: trace.usage?.cost_usd,
    spans,
  };
}

function outline(spans: readonly SpanRecord[], parentId?: string, depth = 0): string[] {
  const ids = new Set(spans.map(({ id }) => id));
  return spans
    .filter(({ parent_id: parent }) =>
      depth === 0 ? parent === undefined || !ids.has(parent) : parent === parentId,
    )
    .sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
    .flatMap(({ id, type, trace_function_key: key }) => [
      '  '.repeat(depth) + (type === 'llm' ? 'llm' : key),
      ...outline(spans, id, depth + 1),
    ]);
}

/** The facts that must be equal for each sender and our own wrapped client: roles, texts, tool calls and results of a message. */
function normalize(messages: unknown): unknown[] {
  return (messages as Record<string, unknown>[]).map(({ role, content, tool_calls: calls }) => {
    const parts = Array.isArray(content) ? (content as Record<string, unknown>[]) : [];
    const texts = parts.flatMap((part) => (part['type'] === 'text' ? [part['text']] : []));
    const named = (call: Record<string, unknown>): unknown => {
      const { function: fn } = call as { function?: { name: string; arguments: string } };
      return fn ? [fn.name, JSON.parse(fn.arguments)] : [call['toolName'], call['input']];
    };
    const called = [
      ...parts.filter((part) => part['type'] === 'tool-call'),
      ...((calls ?? []) as Record<string, unknown>[]),
    ].map(named);
    const results = parts.flatMap((part) => {
      const output = part['output'];
      const inner = (output as { value?: unknown } | null)?.value ?? output;
      return part['type'] === 'tool-result' ? [inner] : [];
    });
    const text = typeof content === 'string' && content !== '' ? [content] : texts;
    return { role, said: [...text, ...results], called };
  });
}
