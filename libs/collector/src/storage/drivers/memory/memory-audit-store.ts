import type { AuditStore, ListedAuditEntry, NewAuditEntry } from '../../audit-store.js';
import type { MemoryApiKeyStore } from './memory-api-key-store.js';

interface Noted extends NewAuditEntry {
  no: number;
}

export class MemoryAuditStore implements AuditStore {
  private lastNo = 0;
  /** By account, in the order in which they were noted. */
  private readonly accounts = new Map<string, Noted[]>();

  constructor(private readonly apiKeys: MemoryApiKeyStore) {}

  add(accountId: string, entry: NewAuditEntry): Promise<void> {
    const noted = this.accounts.get(accountId) ?? [];
    this.accounts.set(accountId, noted);
    noted.push({ ...entry, no: ++this.lastNo });
    return Promise.resolve();
  }

  list(
    accountId: string,
    { limit, after }: { limit: number; after?: readonly [no: number] },
  ): Promise<ListedAuditEntry[]> {
    const noted = this.accounts.get(accountId) ?? [];
    const page = noted.filter(({ no }) => after === undefined || no < after[0]).reverse();
    return Promise.resolve(page.slice(0, limit).map((entry) => this.toListed(entry)));
  }

  prune(before: string, most: number): Promise<void> {
    for (const [accountId, noted] of this.accounts) {
      this.accounts.set(accountId, noted.filter(({ at }) => at >= before).slice(-most));
    }
    return Promise.resolve();
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }

  private toListed({ no, at, action, object, keyId, sessionId, member }: Noted): ListedAuditEntry {
    const key = keyId === undefined ? undefined : this.apiKeys.find(keyId);
    return {
      no,
      entry: {
        ...{ at, action },
        ...(object !== undefined && { object }),
        ...(keyId !== undefined && {
          api_key: { id: keyId, name: key?.name ?? '', hint: key?.hint ?? '' },
        }),
        ...(member && { member: { id: member.id, name: member.name } }),
        ...(sessionId !== undefined && { browser_session_id: sessionId }),
      },
    };
  }
}
