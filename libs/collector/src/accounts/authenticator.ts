import { formatTimestamp, type Scope } from '@dacapo/protocol';
import { Injectable, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
import { isWellFormedApiKey } from './api-key.js';
import { LastUses } from './last-uses.js';
import { isSameHash, sha256 } from './secrets.js';

/** Who a key says that a caller is. */
export interface KeyHolder {
  accountId: string;
  keyId: string;
  scopes: readonly Scope[];
  /** As often as it wants to when absent. */
  requestsPerMinute?: number;
}

/** Resolves the account of a key, with the errors of SPEC 7. */
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
  async holderOf(apiKey: string): Promise<KeyHolder> {
    if (!(await this.anyKeyExists())) throw new NotFoundException('No API key found');
    if (!isWellFormedApiKey(apiKey)) throw new UnauthorizedException('Invalid API key');
    const hash = sha256(apiKey);
    const key = await this.meta.apiKeys.findByHash(hash);
    if (!key || key.isRevoked || !isSameHash(key.hash, hash))
      throw new UnauthorizedException('Invalid API key');
    if (key.expiresAt !== undefined && key.expiresAt <= formatTimestamp(this.clock.nowUs())) {
      throw new UnauthorizedException('Invalid API key');
    }
    if (!key.hasAccount) {
      throw new NotFoundException(`User account not found for user_account_id ${key.accountId}`);
    }
    this.uses.note(`API key ${key.id}`, (usedAt) => this.meta.apiKeys.markUsed(key.id, usedAt));
    const { accountId, id: keyId, scopes, requestsPerMinute } = key;
    return { accountId, keyId, scopes, ...(requestsPerMinute !== undefined && { requestsPerMinute }) };
  }

  /** Keys are never deleted, so that a yes holds for good. */
  private async anyKeyExists(): Promise<boolean> {
    this.hasKeys ||= await this.meta.apiKeys.hasAny();
    return this.hasKeys;
  }
}
