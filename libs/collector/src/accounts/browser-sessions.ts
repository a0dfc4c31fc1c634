import {
  type BrowserSessionSummary,
  formatTimestamp,
  type Member,
  SCOPES,
  SCOPES_OF_ROLE,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { AuditLog } from './audit-log.js';
import type { KeyHolder } from './authenticator.js';
import { LastUses } from './last-uses.js';
import { newSecret, sha256 } from './secrets.js';

const SIGN_IN_TOKEN_LIFE_S = 24 * 3600;

export const BROWSER_SESSION_LIFE_S = 7 * 24 * 3600;

/** The caller, as identified by a browser session. Without key and member, the service's own sign-in link opened it. */
export interface SessionHolder extends Omit<KeyHolder, 'keyId'> {
  sessionId: string;
  keyId?: string;
  member?: Member;
}

/** Signs browsers in. Secrets are stored as hashes only. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly uses: LastUses,
    private readonly audit: AuditLog,
  ) {}

  /** Returns a token for one sign-in within a day. */
  async issueSignInToken(accountId: string): Promise<string> {
    await this.meta.signIns.deleteExpired(this.after(0));
    const token = newSecret();
    await this.meta.signIns.addToken(sha256(token), accountId, this.after(SIGN_IN_TOKEN_LIFE_S));
    return token;
  }

  /** Starts a session and returns its secret; `undefined` when the token is unknown, used or expired. */
  async redeem(token: string, userAgent: string | undefined): Promise<string | undefined> {
    const accountId = await this.meta.signIns.takeToken(sha256(token), this.after(0));
    return accountId === undefined ? undefined : this.start({ accountId }, userAgent);
  }

  /** Starts a session and returns its secret. */
  async start(
    { accountId, keyId, member }: { accountId: string; keyId?: string; member?: Member },
    userAgent: string | undefined,
  ): Promise<string> {
    const secret = newSecret();
    const id = randomUUID();
    const browser = browserName(userAgent);
    await this.meta.signIns.addSession(sha256(secret), {
      id,
      accountId,
      ...(keyId !== undefined && { keyId }),
      ...(member && { memberId: member.id }),
      ...(browser !== undefined && { browser }),
      createdAt: this.after(0),
      expiresAt: this.after(BROWSER_SESSION_LIFE_S),
    });
    await this.audit.note(accountId, {
      action: 'browser.sign_in',
      object: id,
      sessionId: id,
      ...(keyId !== undefined && { keyId }),
      ...(member && { member }),
    });
    return secret;
  }

  /** `undefined` when the session has ended or never existed, its key was revoked or has expired, or its member was removed. */
  async authenticate(secret: string): Promise<SessionHolder | undefined> {
    const session = await this.meta.signIns.findSession(sha256(secret), this.after(0));
    if (!session) return undefined;
    const { id: sessionId, accountId, key, member } = session;
    this.uses.note(`browser session ${sessionId}`, (usedAt) =>
      this.meta.signIns.markSessionUsed(sessionId, usedAt),
    );
    if (member) return { sessionId, accountId, member, scopes: SCOPES_OF_ROLE[member.role] };
    if (!key) return { sessionId, accountId, scopes: SCOPES };
    const { id: keyId, scopes, requestsPerMinute } = key;
    const limit = requestsPerMinute !== undefined && { requestsPerMinute };
    return { sessionId, accountId, keyId, scopes, ...limit };
  }

  /** @param currentId the session of the caller, if a browser asks */
  async list(accountId: string, currentId: string | undefined): Promise<BrowserSessionSummary[]> {
    const sessions = await this.meta.signIns.listSessions(accountId, this.after(0));
    return sessions.map((session) => ({ ...session, ...(session.id === currentId && { is_current: true }) }));
  }

  /** @throws NotFoundException when the account has no such session */
  async end(accountId: string, id: string): Promise<void> {
    if (!(await this.meta.signIns.deleteSession(accountId, id, this.after(0)))) {
      throw new NotFoundException(`Browser session ${id} not found`);
    }
  }

  /** Ends all sessions of the account and returns their number. */
  endAll(accountId: string): Promise<number> {
    return this.meta.signIns.deleteSessions(accountId, this.after(0));
  }

  private after(seconds: number): string {
    return formatTimestamp(this.clock.nowUs() + seconds * 1e6);
  }
}

/** The first match counts: user agents name other browsers as well. */
const BROWSERS: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
const MAX_NAME_LENGTH = 60;

/** A name that a person recognizes, such as `Firefox on Linux`; the beginning of an unknown user agent. */
export function browserName(userAgent = ''): string | undefined {
  const match = (table: [RegExp, string][]): string | undefined =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = match(BROWSERS);
  const system = match(SYSTEMS);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent.slice(0, MAX_NAME_LENGTH).trim() || undefined;
}
