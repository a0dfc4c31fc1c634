import {
  type CaptureMeta,
  type ErrorRecord,
  parseTimestamp,
  type RecordedDescendant,
} from '@dacapo/protocol';
import { type CassetteCall, comparePlaces } from './cassette.js';

/** A recorded call; `parent_id` is unknown for outermost calls. */
export type PlacedCall = Omit<RecordedDescendant, 'parent_id'> & { readonly parent_id?: string | undefined };

interface Place {
  readonly call: PlacedCall;
  readonly path: readonly string[];
  readonly parent: Place | undefined;
  readonly startUs: number;
  readonly endUs: number;
  n: number;
  start: number;
  end: number | undefined;
}

/** Replaces ids and times by relative ones, and drops what differs between two recordings of the same code. */
export function toCassetteCalls(calls: readonly PlacedCall[]): CassetteCall[] {
  const places = placeCalls(calls);
  numberEvents(places);
  const byId = new Map(places.map((place) => [place.call.span_id, place]));
  return places.map((place) => toCassetteCall(place, byId)).sort(comparePlaces);
}

/** In the order in which they started. */
function placeCalls(calls: readonly PlacedCall[]): Place[] {
  const byId = new Map(calls.map((call) => [call.span_id, call]));
  const known = new Map<string, Place>();
  const place = (call: PlacedCall, above: ReadonlySet<string>): Place => {
    const found = known.get(call.span_id);
    if (found !== undefined) return found;
    const parentCall = call.parent_id === undefined ? undefined : byId.get(call.parent_id);
    const isCycle = parentCall !== undefined && above.has(parentCall.span_id);
    const parent =
      parentCall === undefined || isCycle ? undefined : place(parentCall, new Set([...above, call.span_id]));
    const startUs = parseTimestamp(call.started_at) ?? 0;
    const endUs = call.duration_ms === undefined ? Infinity : startUs + Math.round(call.duration_ms * 1000);
    const path = [...(parent?.path ?? []), call.trace_function_key];
    const made: Place = { call, path, parent, startUs, endUs, n: 0, start: 0, end: undefined };
    known.set(call.span_id, made);
    return made;
  };
  const places = calls.map((call) => place(call, new Set()));
  places.sort((a, b) => a.startUs - b.startUs || a.path.length - b.path.length);
  const counts = new Map<string, number>();
  for (const one of places) {
    const key = JSON.stringify(one.path);
    counts.set(key, (one.n = (counts.get(key) ?? 0) + 1));
  }
  return places;
}

/** At equal times, starts come before ends, outer calls start first and end last. */
function numberEvents(places: readonly Place[]): void {
  const events = places.flatMap((place) => [
    { place, us: place.startUs, isEnd: false },
    ...(place.endUs === Infinity ? [] : [{ place, us: place.endUs, isEnd: true }]),
  ]);
  events.sort(
    (a, b) =>
      a.us - b.us ||
      Number(a.isEnd) - Number(b.isEnd) ||
      (a.place.path.length - b.place.path.length) * (a.isEnd ? -1 : 1),
  );
  for (const [index, { place, isEnd }] of events.entries()) {
    if (isEnd) place.end = index + 1;
    else place.start = index + 1;
  }
}

function toCassetteCall(
  { call, path, parent, n, start, end }: Place,
  byId: ReadonlyMap<string, Place>,
): CassetteCall {
  const { name, type, kind, status, input, output, error, usage, contexts } = call;
  const meta = call.meta && toRelativeMeta(call.meta, byId);
  return {
    path,
    n,
    ...(parent && { parent: parent.n }),
    start,
    ...(end !== undefined && { end }),
    name,
    type,
    ...(kind && { kind }),
    status,
    ...(input && { input }),
    ...(output !== undefined && { output }),
    ...(error && { error: withoutStacks(error) }),
    ...(usage && { usage: withoutDurations(usage) }),
    ...(contexts && meta?.source === 'otlp' && { contexts }),
    ...(meta && Object.keys(meta).length > 0 && { meta }),
  };
}

/** Notes without which a call cannot be replayed or compared. */
const KEPT_NOTES = new Set([
  'input',
  'output',
  'contexts',
  'replayable',
  'rebuildable',
  'sync',
  'answered',
  'class',
  'remote_parent',
  'source',
]);

function toRelativeMeta(meta: CaptureMeta, byId: ReadonlyMap<string, Place>): CaptureMeta {
  const kept: CaptureMeta = Object.fromEntries(Object.entries(meta).filter(([name]) => KEPT_NOTES.has(name)));
  const { stream, after } = meta;
  if (stream !== undefined) {
    kept.stream = { ...stream };
    delete kept.stream.time_to_first_item_ms;
  }
  if (after === undefined) return kept;
  const before = after === null ? undefined : byId.get(after);
  return { ...kept, after: before === undefined ? null : toPlaceName(before) };
}

/** A call among those of the same parent: `crm.lookup 2`. */
function toPlaceName({ path, n }: Place): string {
  return `${path.at(-1) ?? ''} ${n}`;
}

/** Stacks hold paths of one machine. */
function withoutStacks(record: ErrorRecord): ErrorRecord {
  const { cause, errors } = record;
  const error = {
    ...record,
    ...(cause && { cause: withoutStacks(cause) }),
    ...(errors && { errors: errors.map(withoutStacks) }),
  };
  delete error.stack;
  return error;
}

function withoutDurations<T extends object>(usage: T): T {
  const entries = Object.entries(usage).filter(([name]) => !name.endsWith('_ms') && name !== 'attempts');
  return Object.fromEntries(entries) as T;
}
