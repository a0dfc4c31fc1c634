import { formatTimestamp, type Scope } from '@dacapo/protocol';
import { Injectable, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { isWellFormedApiKey } from './api-key.js';
import { LastUses } from './last-uses.js';
import { isSameHash, sha256 } from './secrets.js';

/** The caller, as identified by an API key. */
export interface KeyHolder {
  accountId: string;
  keyId: string;
  scopes: readonly Scope[];
  /** Unlimited when absent. */
  requestsPerMinute?: number;
}

/** Finds the account of a key, with the errors of SPEC 7. */
@Injectable()
export class Authenticator {
  private hasKeys = false;

  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly uses: LastUses,
  ) {}

  /**
   * @throws UnauthorizedException when the key is unknown, revoked or expired
   * @throws NotFoundException when no key was ever created, or the key's account was deleted
   */
  async authenticate(apiKey: string): Promise<KeyHolder> {
    if (!(await this.anyKeyExists())) throw new NotFoundException('No API key found');
    if (!isWellFormedApiKey(apiKey)) throw new UnauthorizedException('Invalid API key');
    const hash = sha256(apiKey);
    const key = await this.meta.apiKeys.findByHash(hash);
    const now = formatTimestamp(this.clock.nowUs());
    const isValid = key && !key.isRevoked && (key.expiresAt === undefined || key.expiresAt > now);
    if (!isValid || !isSameHash(key.hash, hash)) throw new UnauthorizedException('Invalid API key');
    if (!key.hasAccount) {
      throw new NotFoundException(`User account not found for user_account_id ${key.accountId}`);
    }
    this.uses.note(`API key ${key.id}`, (usedAt) => this.meta.apiKeys.markUsed(key.id, usedAt));
    const { accountId, id: keyId, scopes, requestsPerMinute } = key;
    return { accountId, keyId, scopes, ...(requestsPerMinute !== undefined && { requestsPerMinute }) };
  }

  private async anyKeyExists(): Promise<boolean> {
    // Keys are never deleted, so `true` can be cached.
    this.hasKeys ||= await this.meta.apiKeys.hasAny();
    return this.hasKeys;
  }
}
