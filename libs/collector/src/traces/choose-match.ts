import type { MatchingSpan } from '../storage/ports/span-store.js';

type Candidate = Pick<MatchingSpan, 'span_id' | 'parent_id' | 'status'>;

/**
 * The call that represents a trace in a list: the first one with the preferred status, else the first. If an error passed through its
 * callers, the call where it began.
 *
 * @param matching in the order of their starts
 */
export function chooseMatch<Span extends Candidate>(
  matching: readonly Span[],
  preferredStatus?: MatchingSpan['status'],
): Span | undefined {
  let chosen = matching.find(({ status }) => status === preferredStatus) ?? matching[0];
  // Removing each one ends a circle of parents.
  const failed = new Set(matching.filter(({ status }) => status === 'error'));
  while (chosen?.status === 'error') {
    failed.delete(chosen);
    const outer: string = chosen.span_id;
    const inner = [...failed].find(({ parent_id: parent }) => parent === outer);
    if (inner === undefined) return chosen;
    chosen = inner;
  }
  return chosen;
}
