import type { BrowserSessionSummary, Member } from '@dacapo/protocol';
import type { FoundBrowserSession, NewBrowserSession, SignInStore } from '../../sign-in-store.js';
import type { MemoryApiKeyStore } from './memory-api-key-store.js';
import type { MemoryMemberStore } from './memory-member-store.js';

type Session = NewBrowserSession & { usedAt?: string };

export class MemorySignInStore implements SignInStore {
  private readonly tokens = new Map<string, { accountId: string; expiresAt: string }>();
  /** In the order in which they began. */
  private readonly sessions = new Map<string, Session>();

  constructor(
    private readonly apiKeys: MemoryApiKeyStore,
    private readonly members: MemoryMemberStore,
  ) {}

  addToken(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void> {
    this.tokens.set(hex(hash), { accountId, expiresAt });
    return Promise.resolve();
  }

  takeToken(hash: Uint8Array, now: string): Promise<string | undefined> {
    const token = this.tokens.get(hex(hash));
    this.tokens.delete(hex(hash));
    return Promise.resolve(token && token.expiresAt > now ? token.accountId : undefined);
  }

  addSession(hash: Uint8Array, session: NewBrowserSession): Promise<void> {
    this.sessions.set(hex(hash), { ...session });
    return Promise.resolve();
  }

  findSession(hash: Uint8Array, now: string): Promise<FoundBrowserSession | undefined> {
    const session = this.sessions.get(hex(hash));
    if (!session || !this.isAlive(session, now)) return Promise.resolve(undefined);
    const { id, accountId, keyId = '' } = session;
    const key = this.apiKeys.inUse(keyId, now);
    if (!key) return Promise.resolve({ id, accountId, ...this.memberOf(session) });
    const { scopes, requestsPerMinute } = key;
    const limit = requestsPerMinute === undefined ? {} : { requestsPerMinute };
    return Promise.resolve({ id, accountId, key: { id: keyId, scopes, ...limit } });
  }

  listSessions(accountId: string, now: string): Promise<BrowserSessionSummary[]> {
    const alive = [...this.sessions.values()].filter(
      (session) => session.accountId === accountId && this.isAlive(session, now),
    );
    return Promise.resolve(alive.map((session) => this.toSummary(session, now)).reverse());
  }

  markSessionUsed(id: string, usedAt: string): Promise<void> {
    for (const session of this.sessions.values()) if (session.id === id) session.usedAt = usedAt;
    return Promise.resolve();
  }

  deleteSession(accountId: string, id: string, now: string): Promise<boolean> {
    const count = this.deleteWhere(
      (session) => session.accountId === accountId && session.id === id && this.isAlive(session, now),
    );
    return Promise.resolve(count === 1);
  }

  deleteSessions(accountId: string, now: string): Promise<number> {
    return Promise.resolve(
      this.deleteWhere((session) => session.accountId === accountId && this.isAlive(session, now)),
    );
  }

  deleteExpired(now: string): Promise<void> {
    for (const [hash, { expiresAt }] of this.tokens) if (expiresAt <= now) this.tokens.delete(hash);
    this.deleteWhere(({ expiresAt }) => expiresAt <= now);
    return Promise.resolve();
  }

  deleteSessionsOf(memberId: string): void {
    this.deleteWhere((session) => session.memberId === memberId);
  }

  deleteAccount(accountId: string): void {
    for (const [hash, token] of this.tokens) if (token.accountId === accountId) this.tokens.delete(hash);
    this.deleteWhere((session) => session.accountId === accountId);
  }

  private isAlive({ keyId, memberId, accountId, expiresAt }: Session, now: string): boolean {
    return (
      expiresAt > now &&
      (keyId === undefined || this.apiKeys.inUse(keyId, now) !== undefined) &&
      (memberId === undefined || this.members.find(memberId)?.accountId === accountId)
    );
  }

  private memberOf({ memberId = '' }: Session): { member?: Member } {
    const found = this.members.find(memberId);
    return found === undefined ? {} : { member: { id: found.id, name: found.name, role: found.role } };
  }

  private toSummary(session: Session, now: string): BrowserSessionSummary {
    const { id, keyId = '', browser, createdAt, usedAt, expiresAt } = session;
    const key = this.apiKeys.inUse(keyId, now);
    return {
      id,
      ...(key && { api_key: { id: keyId, name: key.name, hint: key.hint } }),
      ...this.memberOf(session),
      ...(browser !== undefined && { browser }),
      created_at: createdAt,
      ...(usedAt !== undefined && { last_used_at: usedAt }),
      expires_at: expiresAt,
    };
  }

  private deleteWhere(isGone: (session: Session) => boolean): number {
    const gone = [...this.sessions].filter(([, session]) => isGone(session));
    for (const [hash] of gone) this.sessions.delete(hash);
    return gone.length;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
