/** What a service holds. */
export interface Stored {
  /** How often each span was stored, whole batches that came twice not counted. */
  readonly stored: ReadonlyMap<string, number>;
  /** What contradicts that. */
  readonly conflicts: readonly string[];
}

/** What a host and its tracers know of the records. */
export interface Account {
  /** Ids of the spans that ended. */
  readonly sent: readonly string[];
  /** Ids that `onError` named as dropped. */
  readonly reportedDropped: readonly string[];
  /**
   * Whether the host was killed: the span that ended just then may be stored though the host could not note it.
   */
  readonly killed?: boolean;
}

/** The one judgement of every fault: each span is stored once or reported as dropped, and none comes from nowhere. */
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
 * And none was dropped either, but of a killed host: the span that was being written just then had not ended for the host,
 * and what is torn is reported.
 */
export function expectAllStored(server: Stored, account: Account): void {
  const { sent, reportedDropped, killed = false } = account;
  expectNothingLost(server, account);
  const known = new Set(sent);
  expect(reportedDropped.filter((id) => !killed || known.has(id))).toEqual([]);
  expect(sent.filter((id) => server.stored.has(id)).length).toBe(sent.length);
}
