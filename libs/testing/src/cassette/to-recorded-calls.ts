import type { RecordedCallTree, RecordedDescendant } from '@dacapo/protocol';
import type { Cassette, CassetteCall } from './cassette.js';

/** An outermost call of a cassette with its inner calls, as the service returns them. */
export interface RecordedRoot {
  readonly key: string;
  readonly call: RecordedCallTree;
  /** The same without inner calls, as if it were an inner call. */
  readonly self: RecordedDescendant;
  readonly inner: readonly RecordedDescendant[];
}

/** Microseconds between two events: more than the replay engine rounds, and enough for a call that really runs. */
const STEP_US = 10_000;
/** No whole millisecond, because recordings in whole milliseconds have no order. */
const OFFSET_US = 1;
const EPOCH_MS = Date.UTC(2000, 0, 1);
const TRACE_ID = '00000000-0000-7000-8000-000000000000';

/** The outermost calls, in the order of their starts. */
export function toRecordedRoots({ calls }: Cassette): RecordedRoot[] {
  const ordered = [...calls].sort((a, b) => a.start - b.start);
  const ids = new Map(ordered.map((call, index) => [toKey(call.path, call.n), toSpanId(index)]));
  const recorded = ordered.map((call) => toRecorded(call, ids));
  const roots = new Map<string, { self: RecordedDescendant; inner: RecordedDescendant[] }>();
  const rootOf = new Map<string, string>();
  for (const [index, one] of recorded.entries()) {
    const isRoot = ordered[index]?.parent === undefined;
    const root = isRoot ? one.span_id : (rootOf.get(one.parent_id) ?? '');
    rootOf.set(one.span_id, root);
    if (isRoot) roots.set(root, { self: one, inner: [] });
    else roots.get(root)?.inner.push(one);
  }
  return [...roots.values()].map(({ self, inner }) => ({
    key: self.trace_function_key,
    self,
    inner,
    call: { ...self, descendants: inner },
  }));
}

function toRecorded(call: CassetteCall, ids: ReadonlyMap<string, string>): RecordedDescendant {
  const { path, n, parent, start, end, meta, ...facts } = call;
  const after = meta?.after;
  const above = path.slice(0, -1);
  return {
    ...facts,
    trace_id: TRACE_ID,
    span_id: ids.get(toKey(path, n)) ?? '',
    parent_id: (parent !== undefined && ids.get(toKey(above, parent))) || '',
    trace_function_key: path.at(-1) ?? '',
    started_at: toTimestamp(start),
    ...(end !== undefined && { duration_ms: ((end - start) * STEP_US) / 1000 }),
    ...(meta && {
      meta: {
        ...meta,
        ...(typeof after === 'string' && { after: ids.get(toPlaceKey(above, after)) ?? null }),
      },
    }),
  };
}

function toPlaceKey(above: readonly string[], name: string): string {
  const space = name.lastIndexOf(' ');
  return toKey([...above, name.slice(0, space)], Number(name.slice(space + 1)));
}

function toKey(path: readonly string[], n: number): string {
  return JSON.stringify([path, n]);
}

function toSpanId(index: number): string {
  return (index + 1).toString(16).padStart(16, '0');
}

function toTimestamp(event: number): string {
  const us = event * STEP_US + OFFSET_US;
  const text = new Date(EPOCH_MS + Math.floor(us / 1000)).toISOString();
  return text.replace('Z', `${String(us % 1000).padStart(3, '0')}Z`);
}
