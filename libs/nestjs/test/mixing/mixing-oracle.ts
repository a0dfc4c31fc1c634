import type { TracerTestingModule } from '@dacapo/nestjs/testing';

/** What landed in the wrong place; empty lists when nothing did. */
export interface Mixing {
  /** Traces that hold calls of more than one user. */
  readonly mixed: string[];
  /** Calls that were recorded twice or not at all. */
  readonly miscounted: string[];
  /** Calls whose trace has not the session of their user. */
  readonly lostSessions: string[];
  /** Batches of many users' keys that are part of one user's trace. */
  readonly adoptedBatches: string[];
  readonly calls: number;
}

/** Every call says its user and its place, so each trace must hold one user, and each call be there once, in his session. */
export function findMixing(
  { spans, traces }: Pick<TracerTestingModule, 'spans' | 'traces'>,
  expected: ReadonlyMap<string, readonly string[]>,
): Mixing {
  const sessions = new Map<string, string>();
  for (const { id, session_id: session } of traces) if (session !== undefined) sessions.set(id, session);
  const usersOf = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  const lostSessions: string[] = [];
  const calls = spans.filter((span) => span.trace_function_key === 'ask');
  for (const span of calls) {
    const [user, place] = span.span_data.input as [string, string];
    const call = `${place} of ${user}`;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    const users = usersOf.get(span.trace_id) ?? new Set();
    usersOf.set(span.trace_id, users.add(user));
    const session = (span as { session_id?: string }).session_id ?? sessions.get(span.trace_id);
    if (session !== user) lostSessions.push(`${call}: ${session ?? 'none'}`);
  }
  const asked = [...expected].flatMap(([user, places]) => places.map((place) => `${place} of ${user}`));
  const known = new Set(asked);
  return {
    mixed: [...usersOf.values()].filter((users) => users.size > 1).map((users) => [...users].join(', ')),
    miscounted: [
      ...asked.filter((call) => counts.get(call) !== 1),
      ...[...counts.keys()].filter((call) => !known.has(call)),
    ],
    lostSessions,
    adoptedBatches: spans
      .filter((span) => span.trace_function_key === 'batch' && usersOf.has(span.trace_id))
      .map((span) => span.trace_id),
    calls: calls.length,
  };
}
