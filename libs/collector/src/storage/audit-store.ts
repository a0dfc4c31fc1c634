import type { AuditedAction, AuditEntry } from '@dacapo/protocol';

export interface NewAuditEntry {
  at: string;
  action: AuditedAction;
  object?: string;
  keyId?: string;
  sessionId?: string;
  /** Named as he was then: the entry outlives the member. */
  member?: { id: string; name: string };
}

/** What was done in an account, in the order in which it was noted. Entries are only ever added, until they are too old. */
export interface AuditStore {
  add(accountId: string, entry: NewAuditEntry): Promise<void>;
  /** The newest first. `no` grows with each entry; entries after a position have a lower one. */
  list(
    accountId: string,
    range: { limit: number; after?: readonly [no: number] },
  ): Promise<ListedAuditEntry[]>;
  /** Removes what was noted before that time, and of each account all but its newest `most` entries. */
  prune(before: string, most: number): Promise<void>;
}

export interface ListedAuditEntry {
  no: number;
  entry: AuditEntry;
}
