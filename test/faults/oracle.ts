/** What a service has stored. */
export interface Stored {
  /** How often each span was stored, without duplicate batches. */
  readonly stored: ReadonlyMap<string, number>;
  /** Contradictions in the stored data. */
  readonly conflicts: readonly string[];
}

/** What a host and its tracers know about the records. */
export interface Account {
  /** Ids of ended spans. */
  readonly sent: readonly string[];
  /** Ids that `onError` reported as dropped. */
  readonly reportedDropped: readonly string[];
  /**
   * Whether the host was killed: a span that ended at that moment may be stored without a note of the host.
   */
  readonly killed?: boolean;
}

/** Checks the invariant of all faults: each span is stored once or reported as dropped, and no other span exists. */
export function expectNothingLost(server: Stored, { sent, reportedDropped, killed = false }: Account): void {
  const dropped = new Set(reportedDropped);
  const lost = sent.filter((id) => !server.stored.has(id) && !dropped.has(id));
  const twice = [...server.stored].filter(([, times]) => times > 1).map(([id]) => id);
  const known = new Set(sent);
  const unknown = [...server.stored.keys()].filter((id) => !known.has(id));
  expect(sent.length).toBeGreaterThan(0);
  expect({ lost: lost.length, twice, conflicts: server.conflicts }).toEqual({
    lost: 0,
    twice: [],
    conflicts: [],
  });
  expect([...dropped].filter((id) => server.stored.has(id))).toEqual([]);
  if (!killed) expect(unknown).toEqual([]);
}

/**
 * Also checks that no span was dropped. Exception: a killed host may report a torn record of the span that it was writing.
 */
export function expectAllStored(server: Stored, account: Account): void {
  const { sent, reportedDropped, killed = false } = account;
  expectNothingLost(server, account);
  const known = new Set(sent);
  expect(reportedDropped.filter((id) => !killed || known.has(id))).toEqual([]);
  expect(sent.filter((id) => server.stored.has(id)).length).toBe(sent.length);
}
