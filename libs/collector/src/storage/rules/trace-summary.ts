import type { SpanStatus } from '@dacapo/protocol';

/** Statuses worse than `ok`, worst first. */
export const WORST_FIRST = ['error', 'cancelled', 'unfinished'] as const satisfies readonly SpanStatus[];

/** The status of a trace: the worst status of its spans. A trace without spans is `unfinished`. */
export function worstStatus(spans: readonly { status: SpanStatus }[]): SpanStatus {
  if (spans.length === 0) return 'unfinished';
  return WORST_FIRST.find((status) => spans.some((span) => span.status === status)) ?? 'ok';
}

/** The sort key of a span: the root of a trace has the lowest. */
type Place = readonly [isChild: boolean, started: string | number, id: string];

/** The root of a trace: its first span without a parent, or else its first span. Spans with the same start are sorted by id. */
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
