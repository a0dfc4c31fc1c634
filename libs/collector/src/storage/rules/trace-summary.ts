import type { SpanStatus } from '@dacapo/protocol';

/** Statuses that count, the worst first. */
export const WORST_FIRST = ['error', 'cancelled', 'unfinished'] as const satisfies readonly SpanStatus[];

/** The outcome of a trace: the worst status of its spans, `ok` when all are. A trace without spans is unfinished. */
export function worstStatus(spans: readonly { status: SpanStatus }[]): SpanStatus {
  if (spans.length === 0) return 'unfinished';
  return WORST_FIRST.find((status) => spans.some((span) => span.status === status)) ?? 'ok';
}

/** Where a span is in its trace: the root is the lowest. */
type Place = readonly [isChild: boolean, started: string | number, id: string];

/** The root of a trace: the first span without a parent, or the first of all. Spans of one moment are ordered by id. */
export function findRoot<S>(spans: readonly S[], toPlace: (span: S) => Place): S | undefined {
  return spans.reduce<S | undefined>(
    (first, span) => (first === undefined || isBefore(toPlace(span), toPlace(first)) ? span : first),
    undefined,
  );
}

function isBefore(left: Place, right: Place): boolean {
  if (left[0] !== right[0]) return !left[0];
  if (left[1] !== right[1]) return left[1] < right[1];
  return left[2] < right[2];
}
