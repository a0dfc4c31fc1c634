import { formatTimestamp } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
import { randomBase62, sha256 } from './secrets.js';

/** 43 characters of base62: 256 random bits. */
const SECRET_LENGTH = 43;
const SIGN_IN_TOKEN_LIFE_S = 24 * 3600;

/** How long a browser stays signed in, in seconds. */
export const BROWSER_SESSION_LIFE_S = 7 * 24 * 3600;

/** Signs browsers in; secrets are stored as hashes alone. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
  ) {}

  /** A token for one sign-in within a day. */
  async issueSignInToken(accountId: string): Promise<string> {
    await this.meta.signIns.deleteExpired(this.after(0));
    const token = randomBase62(SECRET_LENGTH);
    await this.meta.signIns.addToken(sha256(token), accountId, this.after(SIGN_IN_TOKEN_LIFE_S));
    return token;
  }

  /** A new session's secret; `undefined` when the token is unknown, used or expired. */
  async redeem(token: string): Promise<string | undefined> {
    const accountId = await this.meta.signIns.takeToken(sha256(token), this.after(0));
    return accountId === undefined ? undefined : this.start(accountId);
  }

  async start(accountId: string): Promise<string> {
    const secret = randomBase62(SECRET_LENGTH);
    await this.meta.signIns.addSession(sha256(secret), accountId, this.after(BROWSER_SESSION_LIFE_S));
    return secret;
  }

  accountOf(secret: string): Promise<string | undefined> {
    return this.meta.signIns.findSession(sha256(secret), this.after(0));
  }

  end(secret: string): Promise<void> {
    return this.meta.signIns.deleteSession(sha256(secret));
  }

  private after(seconds: number): string {
    return formatTimestamp(this.clock.nowUs() + seconds * 1e6);
  }
}
