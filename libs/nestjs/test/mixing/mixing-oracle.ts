import type { TracerTestingModule } from '@dacapo/nestjs/testing';

/** Calls and traces in the wrong place; empty lists if there are none. */
export interface Mixing {
  /** Traces with calls of several users. */
  readonly mixed: string[];
  /** Calls that were recorded twice, or not at all. */
  readonly miscounted: string[];
  /** Calls whose trace lacks the session of their user. */
  readonly lostSessions: string[];
  /** Batches for several users in the trace of one user. */
  readonly adoptedBatches: string[];
  readonly calls: number;
}

/** Each call names its user and place: a trace must have one user, and each call must be there once, in its user's session. */
export function findMixing(
  { spans, traces }: Pick<TracerTestingModule, 'spans' | 'traces'>,
  expected: ReadonlyMap<string, readonly string[]>,
): Mixing {
  const sessions = new Map<string, string>();
  for (const { id, session_id: session } of traces) if (session !== undefined) sessions.set(id, session);
  const usersIn = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  const lostSessions: string[] = [];
  const calls = spans.filter((span) => span.trace_function_key === 'ask');
  for (const span of calls) {
    const [user, place] = span.span_data.input as [string, string];
    const call = `${place} of ${user}`;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    const users = usersIn.get(span.trace_id) ?? new Set();
    usersIn.set(span.trace_id, users.add(user));
    const session = (span as { session_id?: string }).session_id ?? sessions.get(span.trace_id);
    if (session !== user) lostSessions.push(`${call}: ${session ?? 'none'}`);
  }
  const expectedCalls = [...expected].flatMap(([user, places]) =>
    places.map((place) => `${place} of ${user}`),
  );
  const known = new Set(expectedCalls);
  return {
    mixed: [...usersIn.values()].filter((users) => users.size > 1).map((users) => [...users].join(', ')),
    miscounted: [
      ...expectedCalls.filter((call) => counts.get(call) !== 1),
      ...[...counts.keys()].filter((call) => !known.has(call)),
    ],
    lostSessions,
    adoptedBatches: spans
      .filter((span) => span.trace_function_key === 'batch' && usersIn.has(span.trace_id))
      .map((span) => span.trace_id),
    calls: calls.length,
  };
}
