import { ProtocolError } from '../errors.js';
import { fromW3cTraceId, isSpanId } from '../ids/ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import {
  SPAN_KINDS,
  SPAN_LEVELS,
  SPAN_STATUSES,
  type CaptureMeta,
  type ErrorRecord,
  type SpanLink,
  type SpanRecord,
  type SpanStatus,
} from '../records/span.js';
import type { OtlpField } from './fields.js';
import { formatNanos, LAST_NANOS } from './nanos.js';
import { readContent } from './read-content.js';
import { type OtlpSource, type OtlpSpan, STATUS_ERROR } from './otlp-span.js';
import { type AttributeFacts, readAttributes } from './read-attributes.js';
import { type EventFacts, type OtlpScore, readEvents } from './read-events.js';
import { readUsage } from './read-usage.js';
import { readSpanType, type TypeAndKind } from './span-types.js';

/** The position of a span in its trace. */
export interface OtlpPlace {
  readonly id: string;
  readonly traceId: string;
  readonly parentId?: string;
}

export interface ReadOtlpSpan {
  readonly place: OtlpPlace;
  /** `undefined` for a span without AI content. */
  readonly span?: SpanRecord;
  readonly scores: readonly OtlpScore[];
  /** The sender recorded the contexts, so the record has no context with the resource of this request. */
  readonly hasOwnContexts: boolean;
}

/** The flag bits for "it is known whether the parent is remote" and "the parent is remote". */
const REMOTE_PARENT = 0x300;

const ABORTED = new Set([
  'AbortError',
  'CancelledError',
  'asyncio.exceptions.CancelledError',
  'ResponseAborted',
]);

/**
 * Converts an OpenTelemetry span to a span record, without masking it. A span without AI content has no record, unless `dacapo.keep` is
 * set on the span or its resource.
 *
 * @param isKept whether to convert a span without AI content; called for such spans only
 * @throws ProtocolError if an id or the start is missing or invalid
 */
export function toSpanRecord(
  span: OtlpSpan,
  source: OtlpSource,
  isKept: () => boolean = () => false,
): ReadOtlpSpan {
  const place = readPlace(span);
  const events = readEvents(span.events);
  const own =
    Object.keys(events.attributes).length === 0
      ? span.attributes
      : { ...events.attributes, ...span.attributes };
  const facts = readAttributes(own);
  const hasMessages = events.input.length + events.output.length + events.scores.length > 0;
  const { scores } = events;
  const hasOwnContexts = facts.values.has('recorded_contexts');
  const keep = facts.values.get('keep') ?? readResource(source.resource).get('keep');
  if (!facts.isAi && !hasMessages && keep !== true && !isKept()) return { place, scores, hasOwnContexts };
  return { place, span: buildRecord(place, span, source, facts, events), scores, hasOwnContexts };
}

const resources = new WeakMap<JsonObject, AttributeFacts['values']>();

/** Reads each resource once, since its spans share it. */
function readResource(resource: JsonObject): AttributeFacts['values'] {
  let values = resources.get(resource);
  if (values === undefined) resources.set(resource, (values = readAttributes(resource).values));
  return values;
}

function readPlace({
  traceId: w3cTraceId,
  spanId: id,
  parentSpanId: parentId = '',
  startNanos,
  endNanos,
}: OtlpSpan): OtlpPlace {
  const traceId = fromW3cTraceId(w3cTraceId);
  if (traceId === undefined) throw new ProtocolError('trace_id', 'must have 16 bytes that are not all zero');
  if (!isSpanId(id)) throw new ProtocolError('span_id', 'must have 8 bytes that are not all zero');
  if (startNanos <= 0n) throw new ProtocolError('start_time_unix_nano', 'is missing');
  if (startNanos > LAST_NANOS || endNanos > LAST_NANOS)
    throw new ProtocolError('start_time_unix_nano', 'and end_time_unix_nano must be before the year 10000');
  if (parentId === '' || /^0+$/.test(parentId)) return { id, traceId };
  if (!isSpanId(parentId)) throw new ProtocolError('parent_span_id', 'must be empty or have 8 bytes');
  return { id, traceId, parentId };
}

function buildRecord(
  { id, traceId, parentId }: OtlpPlace,
  span: OtlpSpan,
  source: OtlpSource,
  facts: AttributeFacts,
  events: EventFacts,
): SpanRecord {
  const { values } = facts;
  const [type, kind] = findType(facts);
  const error = readError(span, values, events);
  const { promptFormat, ...content } = readContent(type, kind, facts, events);
  const usage = values.get('recorded_usage') ?? readUsage(values);
  const text = (field: OtlpField): string | undefined => clip(values.get(field));
  const name = clip(span.name) ?? text('key') ?? 'span';
  const record: SpanRecord = {
    id,
    trace_id: traceId,
    trace_function_key: text('key') ?? findName(type, kind, text) ?? name,
    name,
    type,
    status: readStatus(span, values, error),
    started_at: formatNanos(span.startNanos),
    span_data: {
      ...content,
      ...(error && { error }),
      ...(isJsonObject(usage) && { usage }),
    },
  };
  if (parentId !== undefined) record.parent_id = parentId;
  if (kind !== undefined) record.kind = kind;
  const level = SPAN_LEVELS.find((one) => one === values.get('level'));
  if (level !== undefined) record.level = level;
  const testRun = text('test_run');
  if (testRun !== undefined) record.test_run_id = testRun;
  const sourceSpan = text('source_span');
  if (sourceSpan !== undefined && isSpanId(sourceSpan)) record.source_span_id = sourceSpan;
  readEnd(record, span, values);
  const contexts = readContexts(span, source, facts, events, record);
  if (contexts.length > 0) record.span_data.contexts = contexts;
  const meta = readMeta(span, values, promptFormat);
  if (!isEmpty(meta)) record.span_data.meta = meta;
  readTrace(record, facts, source, text);
  return record;
}

function findType({ values, settings }: AttributeFacts): TypeAndKind {
  const type = values.get('type');
  const kind = values.get('kind');
  const known = typeof type === 'string' ? readSpanType(type) : undefined;
  if (known !== undefined) {
    const own = SPAN_KINDS.find((one) => one === kind);
    return own === undefined ? known : [known[0], own];
  }
  if (values.has('tool') || 'tool_call_id' in settings) return ['function', 'tool'];
  const isCall = (values.has('model') || values.has('response_model')) && values.has('input_tokens');
  return isCall || values.has('output_messages') || values.has('input_messages') ? ['llm'] : ['custom'];
}

function findName(
  type: TypeAndKind[0],
  kind: TypeAndKind[1],
  text: (field: OtlpField) => string | undefined,
): string | undefined {
  if (type === 'agent') return text('agent') ?? text('entity');
  return kind === 'tool' ? (text('tool') ?? text('entity')) : undefined;
}

function readStatus(
  span: OtlpSpan,
  values: AttributeFacts['values'],
  error: ErrorRecord | undefined,
): SpanStatus {
  const own = SPAN_STATUSES.find((status) => status === values.get('status'));
  if (own !== undefined) return own;
  if (span.endNanos <= 0n) return 'unfinished';
  if (error === undefined) return 'ok';
  return ABORTED.has(error.name) ? 'cancelled' : 'error';
}

function readError(
  span: OtlpSpan,
  values: AttributeFacts['values'],
  { exception = {} }: EventFacts,
): ErrorRecord | undefined {
  const recorded = values.get('recorded_error');
  if (isJsonObject(recorded)) return recorded as unknown as ErrorRecord;
  const kind = values.get('error_type');
  const isFailed = span.status.code === STATUS_ERROR || (span.status.code === 0 && kind !== undefined);
  if (!isFailed) return undefined;
  const { 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack } = exception;
  const name = [type, kind].find((one): one is string => typeof one === 'string' && one !== '') ?? 'Error';
  const said = [message, span.status.message].find((one) => typeof one === 'string' && one !== '');
  return {
    name,
    message: typeof said === 'string' ? said : '',
    ...(typeof stack === 'string' && stack !== '' && { stack }),
  };
}

function readEnd(
  record: SpanRecord,
  { startNanos, endNanos }: OtlpSpan,
  values: AttributeFacts['values'],
): void {
  const recorded = values.get('duration');
  if (typeof recorded === 'number') record.duration_ms = recorded;
  if (endNanos <= 0n) return;
  const end = endNanos < startNanos ? startNanos : endNanos;
  record.ended_at = formatNanos(end);
  record.duration_ms ??= Number(end - startNanos) / 1e6;
}

/** Returns the settings of the request, and everything that no convention names. */
function readContexts(
  span: OtlpSpan,
  { resource, scope }: OtlpSource,
  { values, settings, others }: AttributeFacts,
  events: EventFacts,
  { status }: SpanRecord,
): JsonObject[] {
  const recorded = values.get('recorded_contexts');
  if (Array.isArray(recorded)) return recorded.filter(isJsonObject);
  const { name, version, attributes } = scope;
  const scopeFacts: JsonObject = {
    ...(name !== undefined && name !== '' && { name }),
    ...(version !== undefined && version !== '' && { version }),
    ...(attributes && !isEmpty(attributes) && { attributes }),
  };
  const unread = [
    ...(events.exception && status !== 'error' && status !== 'cancelled'
      ? [{ name: 'exception', attributes: events.exception }]
      : []),
    ...events.others.map((event) => ({
      name: event.name,
      time: formatNanos(event.timeNanos),
      ...(!isEmpty(event.attributes) && { attributes: event.attributes }),
    })),
  ];
  const linked = span.links.flatMap(({ traceId, spanId, attributes: said }) =>
    isEmpty(said)
      ? []
      : [{ trace_id: fromW3cTraceId(traceId) ?? traceId, span_id: spanId, attributes: said }],
  );
  const otel: JsonObject = {
    ...(!isEmpty(others) && { attributes: others }),
    ...(!isEmpty(resource) && { resource }),
    ...(!isEmpty(scopeFacts) && { scope: scopeFacts }),
    ...(unread.length > 0 && { events: unread }),
    ...(linked.length > 0 && { links: linked }),
    ...(span.traceState !== undefined && span.traceState !== '' && { trace_state: span.traceState }),
    ...(span.status.code !== STATUS_ERROR && span.status.message && { status_message: span.status.message }),
    ...(span.endNanos > 0n &&
      span.endNanos < span.startNanos && { end_time_unix_nano: String(span.endNanos) }),
  };
  return [...(isEmpty(settings) ? [] : [settings]), ...(isEmpty(otel) ? [] : [{ otel }])];
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}

/** Marks the call as not replayable, unless the span has the arguments that Dacapo recorded. */
function readMeta(
  { flags = 0, links }: OtlpSpan,
  values: AttributeFacts['values'],
  promptFormat: string | undefined,
): CaptureMeta {
  const recorded = values.get('recorded_meta');
  if (isJsonObject(recorded)) return recorded;
  const linked = links.flatMap(({ traceId, spanId }): SpanLink[] => {
    const trace_id = fromW3cTraceId(traceId);
    return trace_id === undefined || !isSpanId(spanId) ? [] : [{ trace_id, span_id: spanId }];
  });
  return {
    source: 'otlp',
    ...(promptFormat !== undefined && { prompt_format: promptFormat }),
    ...(!values.has('recorded_input') && { replayable: false }),
    ...((flags & REMOTE_PARENT) === REMOTE_PARENT && { remote_parent: true }),
    ...(linked.length > 0 && { links: linked.slice(0, LIMITS.links) }),
  };
}

function readTrace(
  record: SpanRecord,
  { values, metadata, traceContexts }: AttributeFacts,
  { resource }: OtlpSource,
  text: (field: OtlpField) => string | undefined,
): void {
  const general = readResource(resource);
  const label = (field: OtlpField): string | undefined => text(field) ?? clip(general.get(field));
  const session = label('session');
  const user = label('user');
  const environment = label('environment');
  const release = label('release');
  if (session !== undefined) record.session_id = session;
  if (user !== undefined) record.user_id = user;
  if (environment !== undefined) record.environment = environment;
  if (release !== undefined) record.release = release;
  const tags = values.get('tags');
  if (Array.isArray(tags)) {
    const texts = tags.flatMap((tag) =>
      typeof tag === 'object' ? [] : [String(tag).slice(0, LIMITS.tagLength)],
    );
    record.tags = [...new Set(texts)].slice(0, LIMITS.tags);
  }
  if (!isEmpty(metadata)) record.trace_metadata = firstMembers(metadata);
  if (!isEmpty(traceContexts)) record.trace_contexts = firstMembers(traceContexts);
}

function firstMembers(object: JsonObject): JsonObject {
  const entries = Object.entries(object);
  return entries.length <= LIMITS.traceAttributes
    ? object
    : Object.fromEntries(entries.slice(0, LIMITS.traceAttributes));
}

/** Cuts a label to `LIMITS.labelLength` characters. @returns `undefined` if it is blank */
function clip(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, LIMITS.labelLength) : undefined;
}
