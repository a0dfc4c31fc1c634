import type { JsonObject, JsonValue } from '../json/json-value.js';

/** What kind of work a span stands for (SPEC 2.6). */
export const SPAN_TYPES = ['llm', 'agent', 'function', 'guardrail', 'handoff', 'custom'] as const;
export type SpanType = (typeof SPAN_TYPES)[number];

/** What a span does, where its type does not say it. Spans of other work have none. */
export const SPAN_KINDS = ['tool', 'retrieval', 'embedding', 'rerank', 'evaluator'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** How important a span is, as the application says. It does not follow from the status. */
export const SPAN_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type SpanLevel = (typeof SPAN_LEVELS)[number];

/** `cancelled`: its consumer stopped early. `unfinished`: it was sent before it ended. */
export const SPAN_STATUSES = ['ok', 'error', 'cancelled', 'unfinished'] as const;
export type SpanStatus = (typeof SPAN_STATUSES)[number];

/** A thrown value as it is recorded. A thrown value that is no Error has its text as `message`. */
export interface ErrorRecord {
  name: string;
  message: string;
  stack?: string;
  code?: string | number;
  cause?: ErrorRecord;
  /** What an AggregateError gathered. */
  errors?: ErrorRecord[];
  /** Its class, where its name does not say it. */
  class?: string;
  /** What else an error has as properties of its own, such as `status`. `{}` says that there is nothing; absent: not recorded. */
  properties?: JsonObject;
  /** What was thrown, where that is an object and no error. */
  thrown?: JsonValue;
  /** Of the outermost record: notes on `properties` and `thrown`, of its causes and members too. Pointers into the record. */
  meta?: FieldMeta;
  /** Something is not here: the end of a text, a cause or members; or texts stayed where they were. Its causes and members say it of themselves. */
  cut?: true;
}

/** What one model call used. Counts are tokens; further facts may stand beside them. */
export interface UsageRecord {
  model?: string;
  /** The model that answered: of an alias or a deployment the model behind it. */
  response_model?: string;
  provider?: string;
  input_tokens?: number;
  output_tokens?: number;
  [fact: string]: JsonValue | undefined;
}

/** What became of one captured value. Keys and entries are JSON Pointers (RFC 6901) into it; `""` is the whole. */
export interface FieldMeta {
  /** Values that JSON cannot hold: what they were, so that they can be made again. */
  types?: Record<string, JsonValue>;
  /** Values that were cut: their full length in bytes or items, and a hash where one was made. */
  truncated?: Record<string, JsonObject>;
  /** Values that were replaced because they looked secret. */
  redacted?: string[];
  /** Stands on an output: what is here is not enough to make it again; absent when it is. */
  replayable?: false;
}

/** How an output that came piece by piece came; the output itself is the list of its items, or what they come to. */
export interface RecordedStream {
  /** `generator`, `async-generator`, `async-iterable`, `readable-stream`, `node-readable`, `observable`, or an adapter's own. */
  kind: string;
  items: number;
  time_to_first_item_ms?: number;
  /** Of an Observable: all of it came while it was subscribed to. */
  sync?: true;
  /** What a generator returned at its end; absent when that was nothing, or it did not come so far. */
  returned?: JsonValue;
  returned_meta?: FieldMeta;
  /** The output is the one answer that the items come to; a model streamed them. */
  merged?: true;
  /** Beside `merged`: the items, as a list or in short form. Absent: they were not recorded, and the call cannot be answered again. */
  chunks?: JsonValue;
  chunks_meta?: FieldMeta;
}

/** A span of another trace, in whose context a trace began. */
export type StartedBy = SpanLink;

/** A span of another trace, of any service. */
export type SpanLink = { trace_id: string; span_id: string };

export interface CaptureMeta {
  input?: FieldMeta;
  output?: FieldMeta;
  contexts?: FieldMeta;
  prompt?: FieldMeta;
  stream?: RecordedStream;
  /** `false` when what stands here is not enough to make the call again; absent when it is. */
  replayable?: false;
  /**
   * Beside `replayable: false`: nothing is missing but the methods of the objects whose notes say `methods`. One who has
   * their classes can make the call again.
   */
  rebuildable?: true;
  /** The function returned or threw at once; absent: it returned a promise. */
  sync?: true;
  /** The call returned its output; the status is that of the answer, such as a response that the model failed to finish. */
  answered?: true;
  /** The function did not run: a replay gave what `source_span_id` recorded. */
  mocked?: true;
  /**
   * The class of the object whose method was called, where it is not the class that defines the method: several classes
   * that inherit a method share its key.
   */
  class?: string;
  /** Its parent was told by a `traceparent`: it is work that another process, or a queue, asked for. */
  remote_parent?: true;
  /**
   * On the outermost span of a trace: the span in whose context it began after that had ended, such as work that goes on
   * after a request was answered. It is no parent: the trace is one of its own, of the same session.
   */
  started_by?: StartedBy;
  /**
   * On the outermost span of a trace: the spans of other services that asked for its work, by their `traceparent`. They are no
   * parents: anyone can send any header. They may be stored elsewhere, or nowhere.
   */
  links?: SpanLink[];
  /**
   * The id of a call below the same parent that had ended when this one began, and that the same asynchronous branch had made
   * before: this call comes after that one, and after all that it came after. `null`: no such call is known. Absent on the first
   * call below a parent, and where the order was not recorded.
   */
  after?: string | null;
  /**
   * This record continues the `unfinished` one of the same span: the input, prompt and contexts that it does not hold
   * stand there, its contexts after those. The service joins the two, whichever comes first.
   */
  continues?: true;
  [note: string]: JsonValue | FieldMeta | RecordedStream | undefined;
}

/** What went into a call and what came out of it (SPEC 2.6). */
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

/** One recorded call. An absent value is an absent key. Identity: (account, `trace_id`, `id`). */
export interface SpanRecord {
  id: string;
  trace_id: string;
  parent_id?: string;
  trace_function_key: string;
  name: string;
  type: SpanType;
  /** What it does, beside its type. */
  kind?: SpanKind;
  /** How important it is, as the application says. */
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
  /** The recorded span that this call played again. */
  source_span_id?: string;
  /** The session of its trace, on each span that ended after it was known. */
  session_id?: string;
  /** The user of its trace, on each span that ended after it was known. */
  user_id?: string;
  /** Where its application runs, such as `production`: on the outermost spans of a process. */
  environment?: string;
  /** Which version of its application recorded it: on the outermost spans of a process. */
  release?: string;
  /** Tags of its trace: on the root. */
  tags?: string[];
  /** Metadata of its trace (SPEC 2.7): on the root. */
  trace_metadata?: JsonObject;
  /** Contexts of its trace (SPEC 2.7): on the root. Those of the span are in `span_data`. */
  trace_contexts?: JsonObject;
}
