import { toW3cTraceId } from '../ids/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { SpanRecord } from '../records/span.js';
import type { OtlpField } from './fields.js';
import { parseNanos } from './nanos.js';
import { type OtlpSource, type OtlpSpan, STATUS_ERROR, STATUS_OK } from './otlp-span.js';
import { readMessages } from './messages.js';
import { type FindBase64, writeMediaParts } from './write-media.js';
import { writeMessages } from './write-messages.js';
import { listWrittenNames } from './table.js';

/** An OpenTelemetry span to send, with its source. */
export interface WrittenOtlpSpan {
  readonly span: OtlpSpan;
  readonly source: OtlpSource;
}

/** The scope of exported spans. */
const SCOPE = 'dacapo';

/** `gen_ai.operation.name` by kind, and by type. */
const OPERATIONS: Readonly<Record<string, string>> = {
  llm: 'chat',
  agent: 'invoke_agent',
  tool: 'execute_tool',
  embedding: 'embeddings',
  retrieval: 'retrieval',
  rerank: 'rerank',
};

const SPAN_KIND_INTERNAL = 1;
const SPAN_KIND_CLIENT = 3;
const REMOTE_PARENT = 0x301;

/**
 * Writes a span record as an OpenTelemetry span. It has our own attributes, from which {@link toSpanRecord} reads the same record, and
 * those of the GenAI conventions for other readers.
 *
 * @param findBase64 returns the bytes of media in messages; default: only references are sent
 */
export function toOtlpSpan(record: SpanRecord, findBase64: FindBase64 = () => undefined): WrittenOtlpSpan {
  const { span_data: data, started_at, ended_at } = record;
  const startNanos = parseNanos(started_at);
  const { error, meta } = data;
  const isFailed = record.status === 'error' || error !== undefined;
  return {
    span: {
      traceId: toW3cTraceId(record.trace_id),
      spanId: record.id,
      ...(record.parent_id !== undefined && { parentSpanId: record.parent_id }),
      name: record.name,
      kind: record.type === 'llm' ? SPAN_KIND_CLIENT : SPAN_KIND_INTERNAL,
      ...(meta?.remote_parent === true && { flags: REMOTE_PARENT }),
      startNanos,
      endNanos: ended_at === undefined ? 0n : parseNanos(ended_at),
      attributes: writeAttributes(record, findBase64),
      events:
        error === undefined
          ? []
          : [
              {
                name: 'exception',
                timeNanos: parseNanos(ended_at ?? started_at),
                attributes: writeException(record),
              },
            ],
      links: (meta?.links ?? []).map(({ trace_id, span_id }) => ({
        traceId: toW3cTraceId(trace_id),
        spanId: span_id,
        attributes: {},
      })),
      status: isFailed ? { code: STATUS_ERROR, message: error?.message ?? '' } : { code: STATUS_OK },
    },
    source: { resource: writeResource(record), scope: { name: SCOPE } },
  };
}

function writeException({ span_data: { error } }: SpanRecord): JsonObject {
  if (error === undefined) return {};
  const { name, message, stack } = error;
  return {
    'exception.type': name,
    'exception.message': message,
    ...(stack !== undefined && { 'exception.stacktrace': stack }),
  };
}

function writeResource({ environment, release }: SpanRecord): JsonObject {
  return {
    'service.name': SCOPE,
    ...(environment !== undefined && { 'deployment.environment.name': environment }),
    ...(release !== undefined && { 'service.version': release }),
  };
}

function writeAttributes(record: SpanRecord, findBase64: FindBase64): JsonObject {
  const { type, kind, span_data: data } = record;
  const { input, output, error, prompt, contexts, usage, meta } = data;
  const attributes: JsonObject = {};
  const write = (
    field: OtlpField,
    ownValue: JsonValue | undefined,
    shared: JsonValue | undefined = ownValue,
  ): void => {
    for (const name of listWrittenNames(field)) {
      const value = name.startsWith('dacapo.') ? ownValue : shared;
      if (value !== undefined) attributes[name] = value;
    }
  };
  const writeJson = (field: OtlpField, value: unknown): void => {
    if (value !== undefined) write(field, JSON.stringify(value));
  };
  write('key', record.trace_function_key);
  write('type', type, OPERATIONS[kind ?? type]);
  write('kind', kind);
  write('level', record.level);
  write('status', record.status);
  write('duration', record.duration_ms);
  write('test_run', record.test_run_id);
  write('source_span', record.source_span_id);
  write('session', record.session_id);
  write('user', record.user_id);
  write('tags', record.tags);
  write('prompt', prompt);
  writeJson('metadata', record.trace_metadata);
  writeJson('trace_contexts', record.trace_contexts);
  writeJson('recorded_input', input);
  writeJson('recorded_output', output);
  writeJson('recorded_error', error);
  // Also written if empty: the reader would otherwise derive them from other attributes.
  writeJson('recorded_contexts', contexts ?? []);
  writeJson('recorded_meta', meta ?? {});
  writeJson('recorded_usage', usage);
  if (type === 'agent') write('agent', record.name);
  if (kind === 'tool') {
    write('tool', record.name);
    writeJson('arguments', input?.length === 1 ? input[0] : input);
    writeJson('result', output);
  }
  for (const field of USAGE) write(field, usage?.[field]);
  if (type === 'llm') {
    const request = input?.[0];
    const messages = readRequest(request && writeMediaParts(request, meta?.input, findBase64, '/0'));
    if (messages !== undefined) writeJson('input_messages', writeMessages(messages));
    if (output !== undefined) {
      const answer = readMessages(writeMediaParts(output, meta?.output, findBase64), 'assistant');
      writeJson('output_messages', writeMessages(answer));
    }
  }
  return attributes;
}

const USAGE = [
  ...([
    'model',
    'response_model',
    'provider',
    'input_tokens',
    'output_tokens',
    'cached_input_tokens',
  ] as const),
  ...([
    'cache_creation_input_tokens',
    'reasoning_tokens',
    'input_audio_tokens',
    'output_audio_tokens',
  ] as const),
] satisfies readonly OtlpField[];

/** Reads the messages of a request that is a text, a list of messages, or an object with one. */
function readRequest(request: JsonValue | undefined): ReturnType<typeof readMessages> | undefined {
  if (typeof request === 'string' || Array.isArray(request)) return readMessages(request, 'user');
  if (!isJsonObject(request)) return undefined;
  const { system, instructions, messages, input, contents, prompt } = request;
  const turns = messages ?? contents ?? input ?? prompt;
  if (turns === undefined || turns === null) return undefined;
  const before = system ?? instructions ?? null;
  return [...readMessages(before, 'system'), ...readMessages(turns, 'user')];
}
