import type { JsonObject, JsonValue } from '../json/json-value.js';

/** What kind of work a span represents (SPEC 2.6). */
export const SPAN_TYPES = ['llm', 'agent', 'function', 'guardrail', 'handoff', 'custom'] as const;
export type SpanType = (typeof SPAN_TYPES)[number];

/** What a span does when its type does not say it. Other spans have no kind. */
export const SPAN_KINDS = ['tool', 'retrieval', 'embedding', 'rerank', 'evaluator'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** How important a span is. The application sets it, independently of the status. */
export const SPAN_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type SpanLevel = (typeof SPAN_LEVELS)[number];

/** `cancelled`: its consumer stopped early. `unfinished`: it was sent before it ended. */
export const SPAN_STATUSES = ['ok', 'error', 'cancelled', 'unfinished'] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];

/** A recorded thrown value. If it is not an Error, `message` is its text. */
export interface ErrorRecord {
  name: string;
  message: string;
  stack?: string;
  code?: string | number;
  cause?: ErrorRecord;
  /** Errors of an AggregateError. */
  errors?: ErrorRecord[];
  /** Its class, if that differs from `name`. */
  class?: string;
  /** Further own properties, such as `status`. `{}`: there are none; absent: not recorded. */
  properties?: JsonObject;
  /** The thrown object, if it is not an Error. */
  thrown?: JsonValue;
  /** Only on the outermost record: notes on `properties` and `thrown`, also of causes and `errors`. Pointers start at the record. */
  meta?: FieldMeta;
  /** A text was cut, or a cause or an entry of `errors` was dropped. Causes and `errors` have a flag of their own. */
  cut?: true;
}

/** Usage of one model call, in tokens. May have further fields. */
export interface UsageRecord {
  model?: string;
  /** The model that responded, such as the one behind an alias or a deployment. */
  response_model?: string;
  provider?: string;
  input_tokens?: number;
  output_tokens?: number;
  [fact: string]: JsonValue | undefined;
}

/** Notes on one captured value. Keys and entries are JSON Pointers (RFC 6901) into it; `""` is the whole value. */
export interface FieldMeta {
  /** Types of values that JSON cannot represent, used to rebuild them. */
  types?: Record<string, JsonValue>;
  /** Cut values: their full size, and a hash if there is one. */
  truncated?: Record<string, JsonObject>;
  /** Values that redaction replaced. */
  redacted?: string[];
  /** Only on an output: the recorded value is not enough to rebuild it. */
  replayable?: false;
}

/** How a streamed output arrived. The output itself is the list of its items, or the one answer that they make up. */
export interface RecordedStream {
  /** `generator`, `async-generator`, `async-iterable`, `readable-stream`, `node-readable`, `observable`, or a kind of an adapter. */
  kind: string;
  items: number;
  time_to_first_item_ms?: number;
  /** For an Observable: it emitted everything synchronously on subscription. */
  sync?: true;
  /** A generator's return value. Absent if it returned `undefined` or did not finish. */
  returned?: JsonValue;
  returned_meta?: FieldMeta;
  /** The output is one answer, made from the chunks that a model streamed. */
  merged?: true;
  /** With `merged`: the chunks, as a list or in compact form. Absent if they were not recorded: the call then cannot answer a mock. */
  chunks?: JsonValue;
  chunks_meta?: FieldMeta;
}

/** The span of another trace in whose context a trace began. */
export type StartedBy = SpanLink;

/** A span of another trace, of any service. */
export type SpanLink = { trace_id: string; span_id: string };

export interface CaptureMeta {
  input?: FieldMeta;
  output?: FieldMeta;
  contexts?: FieldMeta;
  prompt?: FieldMeta;
  /** The record has no prompt because its input is a request in this format, whose messages are the prompt. The service adds it. */
  prompt_format?: string;
  stream?: RecordedStream;
  /** `false` if the recorded input is not enough to repeat the call; otherwise absent. */
  replayable?: false;
  /** The span arrived by OTLP. Its input need not be the arguments of a function. */
  source?: 'otlp';
  /**
   * With `replayable: false`: only the methods of objects whose notes say `methods` are missing. Code that has their classes can
   * repeat the call.
   */
  rebuildable?: true;
  /** The function returned or threw synchronously. Absent: it returned a promise. */
  sync?: true;
  /** The call returned its output; the status is that of the answer, such as a response that the model failed to finish. */
  answered?: true;
  /** The function did not run: a replay answered the call with the outcome of `source_span_id`. */
  mocked?: true;
  /**
   * The class of the receiver, if it is not the class that defines the method. Classes that inherit a method share its key.
   */
  class?: string;
  /** A `traceparent` header named its parent: another process or a queue requested this work. */
  remote_parent?: true;
  /**
   * On the outermost span of a trace: the already ended span in whose context it began, such as background work after a
   * response. That span is not a parent: this is a new trace of the same session.
   */
  started_by?: StartedBy;
  /**
   * On the outermost span of a trace: spans of other services that requested its work by `traceparent`. They are not parents,
   * because anyone can send any header. They may be stored elsewhere, or not at all.
   */
  links?: SpanLink[];
  /**
   * The id of the preceding call: it has the same parent, was made on the same asynchronous branch and ended before this one
   * began. Precedence is transitive. `null`: no such call is known. Absent on the first call of a parent, and if the order was
   * not recorded.
   */
  after?: string | null;
  /**
   * This record continues the `unfinished` record of the same span, which holds the missing input, prompt and earlier contexts.
   * The service joins the two in either order.
   */
  continues?: true;
  [note: string]: JsonValue | FieldMeta | RecordedStream | undefined;
}

/** Input and outcome of a call (SPEC 2.6). */
export interface SpanData {
  /** The call's arguments, in order. */
  input?: JsonValue[];
  output?: JsonValue;
  error?: ErrorRecord;
  prompt?: string;
  /** One entry for each `addContext`, in call order. */
  contexts?: JsonObject[];
  usage?: UsageRecord;
  meta?: CaptureMeta;
}

/** One recorded call. Absent values have no key. Identity: (account, `trace_id`, `id`). */
export interface SpanRecord {
  id: string;
  trace_id: string;
  parent_id?: string;
  trace_function_key: string;
  name: string;
  type: SpanType;
  /** Refines the type. */
  kind?: SpanKind;
  /** How important it is. Set by the application. */
  level?: SpanLevel;
  status: SpanStatus;
  /** ISO 8601 in UTC, with microseconds. */
  started_at: string;
  ended_at?: string;
  /** From a monotonic clock. */
  duration_ms?: number;
  span_data: SpanData;
  /** The test run that made this call. */
  test_run_id?: string;
  /** The recorded span that this call replays. */
  source_span_id?: string;
  /** Session of its trace, on each span that ended after the session was set. */
  session_id?: string;
  /** User of its trace, on each span that ended after the user was set. */
  user_id?: string;
  /** Environment of its application, such as `production`, on the outermost spans of a process. */
  environment?: string;
  /** Release of its application, on the outermost spans of a process. */
  release?: string;
  /** Tags of its trace, on the root. */
  tags?: string[];
  /** Metadata of its trace (SPEC 2.7), on the root. */
  trace_metadata?: JsonObject;
  /** Contexts of its trace (SPEC 2.7), on the root. The span's own contexts are in `span_data`. */
  trace_contexts?: JsonObject;
}
