import {
  type CallSelection,
  isTraceId,
  type JsonObject,
  SAMPLE_KINDS,
  type SampleKind,
  SPAN_STATUSES,
  type SpanStatus,
} from '@dacapo/protocol';
import {
  flag,
  type GivenOptions,
  isRecord,
  number,
  type Option,
  option,
  type ResolvedOptions,
  text,
} from './option.js';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Which stored calls are played. Conditions hold together. */
export const SELECTION_OPTIONS = {
  /** At most this many calls, the newest first. */
  limit: number({
    default: NO_LIMIT,
    from: 0,
    defaultText: 'all of the key',
    cure: 'Leave it out for all calls.',
  }),
  /** Only these traces, in this order; any number. */
  traceIds: option<readonly string[]>({
    takes: 'a list of trace ids, UUIDs in lower case',
    default: undefined,
    accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isId),
    problem: (value) => (Array.isArray(value) ? problemOfIds(value) : undefined),
    cure: 'Write it like [traceId], or leave it out for all traces.',
  }),
  /** Calls that started then or later. */
  since: moment(),
  /** Calls that started before. */
  until: moment(),
  /** Calls in traces of this session. */
  sessionId: text({ cure: 'Leave it out for all sessions.' }),
  /** Calls with this status. */
  status: option<SpanStatus>({
    takes: `one of ${SPAN_STATUSES.map((status) => JSON.stringify(status)).join(', ')}`,
    default: undefined,
    accepts: (value): value is SpanStatus => SPAN_STATUSES.some((status) => status === value),
    cure: 'Leave it out for all.',
  }),
  /**
   * Calls that were recorded on one of these classes, where several share a key by inheriting a method. A call on the class
   * that defines the method has none in its record: leave out the others with `exceptClasses`.
   */
  classes: classNames(),
  /** Calls that were recorded on one of these classes are left out. */
  exceptClasses: classNames(),
  /** Calls in traces whose metadata has all of these keys, each with an equal value. */
  metadata: option<Readonly<Record<string, unknown>>>({
    takes: 'an object',
    default: undefined,
    accepts: isRecord,
    cure: "Write it like { tenant: 'ann' }.",
  }),
  /** Calls whose input, output, error or prompt contains this text, in any case. The newest 10,000 calls are looked through. */
  text: text({ cure: 'Leave it out for all.' }),
  /** `true`: every call of the key. `false`: of each trace the outermost one alone. */
  everyCall: flag(false),
  /**
   * Some of the calls that the other conditions select: `{ size: 100 }`. `by`: `'random'` (the default), `'errors'`, failed
   * calls first, or `'slow'`, those that took longest. The same `seed` picks the same calls of the same data.
   */
  sample: option<{ readonly size: number; readonly by?: SampleKind; readonly seed?: number }>({
    takes: 'an object with a size',
    default: undefined,
    accepts: (value): value is { size: number; by?: SampleKind; seed?: number } =>
      isRecord(value) &&
      Number.isSafeInteger(value['size']) &&
      [undefined, ...SAMPLE_KINDS].some((kind) => kind === value['by']) &&
      (value['seed'] === undefined || Number.isSafeInteger(value['seed'])),
    cure: `Write it like { size: 100, by: 'random', seed: 1 }; by is one of ${SAMPLE_KINDS.join(', ')}.`,
  }),
};

/** Which stored calls of a key are played. Conditions hold together. */
export type SelectionOptions = GivenOptions<typeof SELECTION_OPTIONS>;

export type ResolvedSelection = ResolvedOptions<typeof SELECTION_OPTIONS>;

/** The selection as it travels. */
export function toSelection(options: ResolvedSelection): CallSelection {
  const { limit, traceIds, since, until, sessionId, status, metadata, text, everyCall, sample } = options;
  const { classes, exceptClasses = [] } = options;
  return {
    ...(limit < NO_LIMIT && { limit }),
    ...(traceIds && { trace_ids: [...traceIds] }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(status && { status }),
    ...(classes && { classes: [...classes] }),
    ...(exceptClasses.length > 0 && { except_classes: [...exceptClasses] }),
    ...(metadata && { metadata: JSON.parse(JSON.stringify(metadata)) as JsonObject }),
    ...(text !== undefined && { text }),
    ...(everyCall && { every_call: true }),
    ...(sample && { sample }),
  };
}

function classNames(): Option<readonly string[]> {
  return option({
    takes: 'a list of names of classes',
    default: undefined,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((name) => typeof name === 'string' && name.trim() !== ''),
    cure: "Write it like ['RefundDesk'].",
  });
}

function moment(): Option<string | Date> {
  return option({
    takes: 'a Date, or a time as ISO 8601 writes it',
    default: undefined,
    accepts: (value): value is string | Date =>
      (typeof value === 'string' || value instanceof Date) && !Number.isNaN(new Date(value).getTime()),
    cure: "Write it like '2026-11-22T05:00:00Z'.",
  });
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isTraceId(value);
}

function problemOfIds(ids: readonly unknown[]): string {
  return `must be a list of trace ids, UUIDs in lower case, not ${JSON.stringify(ids.find((id) => !isId(id)))}`;
}
