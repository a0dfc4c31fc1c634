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
import { MetaStore } from '../storage/meta-store.js';
import { AuditLog } from './audit-log.js';
import type { KeyHolder } from './authenticator.js';
import { LastUses } from './last-uses.js';
import { randomBase62, sha256 } from './secrets.js';

/** 43 characters of base62: 256 random bits. */
const SECRET_LENGTH = 43;
const SIGN_IN_TOKEN_LIFE_S = 24 * 3600;

/** How long a browser stays signed in, in seconds. */
export const BROWSER_SESSION_LIFE_S = 7 * 24 * 3600;

/** Who a browser session says that a caller is. Without a key and a member, the service's own sign-in link opened it. */
export interface SessionHolder extends Omit<KeyHolder, 'keyId'> {
  sessionId: string;
  keyId?: string;
  member?: Member;
}

/** Signs browsers in; secrets are stored as hashes alone. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly uses: LastUses,
    private readonly audit: AuditLog,
  ) {}

  /** A token for one sign-in within a day. */
  async issueSignInToken(accountId: string): Promise<string> {
    await this.meta.signIns.deleteExpired(this.after(0));
    const token = randomBase62(SECRET_LENGTH);
    await this.meta.signIns.addToken(sha256(token), accountId, this.after(SIGN_IN_TOKEN_LIFE_S));
    return token;
  }

  /** A new session's secret; `undefined` when the token is unknown, used or expired. */
  async redeem(token: string, userAgent: string | undefined): Promise<string | undefined> {
    const accountId = await this.meta.signIns.takeToken(sha256(token), this.after(0));
    return accountId === undefined ? undefined : this.start({ accountId }, userAgent);
  }

  /** A new session's secret. */
  async start(
    { accountId, keyId, member }: { accountId: string; keyId?: string; member?: Member },
    userAgent: string | undefined,
  ): Promise<string> {
    const [secret, id] = [randomBase62(SECRET_LENGTH), randomUUID()];
    const browser = browserOf(userAgent);
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
      ...{ action: 'browser.sign_in', object: id, sessionId: id },
      ...(keyId !== undefined && { keyId }),
      ...(member && { member }),
    });
    return secret;
  }

  /** `undefined` when the session is unknown, over or expired, its key is not in use any more, or its member was removed. */
  async holderOf(secret: string): Promise<SessionHolder | undefined> {
    const session = await this.meta.signIns.findSession(sha256(secret), this.after(0));
    if (!session) return undefined;
    const { id: sessionId, accountId, key, member } = session;
    this.uses.note(`browser session ${sessionId}`, (usedAt) =>
      this.meta.signIns.markSessionUsed(sessionId, usedAt),
    );
    if (member) return { sessionId, accountId, member, scopes: SCOPES_OF_ROLE[member.role] };
    if (!key) return { sessionId, accountId, scopes: SCOPES };
    const { id: keyId, scopes, requestsPerMinute } = key;
    return {
      ...{ sessionId, accountId, keyId, scopes },
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    };
  }

  /** @param currentId the session that asks */
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

  /** Ends all of the account; how many there were. */
  endAll(accountId: string): Promise<number> {
    return this.meta.signIns.deleteSessions(accountId, this.after(0));
  }

  private after(seconds: number): string {
    return formatTimestamp(this.clock.nowUs() + seconds * 1e6);
  }
}

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
const LONGEST_NAME = 60;

/** What a person tells a browser by: all browsers call themselves by the names of others too, so that the order counts. */
export function browserOf(userAgent = ''): string | undefined {
  const nameOf = (table: [RegExp, string][]): string | undefined =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameOf(BROWSERS), nameOf(SYSTEMS)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent.slice(0, LONGEST_NAME).trim() || undefined;
}
