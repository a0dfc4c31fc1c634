import { formatTimestamp } from '@dacapo/protocol';
import { Injectable, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { CollectorLogger } from '../logger.js';
import { MetaStore } from '../storage/meta-store.js';
import { isWellFormedApiKey } from './api-key.js';
import { isSameHash, sha256 } from './secrets.js';

/** A key's last use is noted this often at most. */
const USE_NOTED_EVERY_US = 60 * 1e6;

/** Resolves the account of a key, with the errors of SPEC 7. */
@Injectable()
export class Authenticator {
  private hasKeys = false;
  private readonly notedUs = new Map<string, number>();

  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {}

  /**
   * @throws UnauthorizedException when the key is unknown or revoked
   * @throws NotFoundException when no key was ever created, or the key's account is gone
   */
  async accountOf(apiKey: string): Promise<string> {
    if (!(await this.anyKeyExists())) throw new NotFoundException('No API key found');
    if (!isWellFormedApiKey(apiKey)) throw new UnauthorizedException('Invalid API key');
    const hash = sha256(apiKey);
    const key = await this.meta.apiKeys.findByHash(hash);
    if (!key || key.isRevoked || !isSameHash(key.hash, hash))
      throw new UnauthorizedException('Invalid API key');
    if (!(await this.meta.accounts.find(key.accountId))) {
      throw new NotFoundException(`User account not found for user_account_id ${key.accountId}`);
    }
    this.noteUse(key.id);
    return key.accountId;
  }

  /** Keys are never deleted, so that a yes holds for good. */
  private async anyKeyExists(): Promise<boolean> {
    this.hasKeys ||= await this.meta.apiKeys.hasAny();
    return this.hasKeys;
  }

  private noteUse(keyId: string): void {
    const nowUs = this.clock.nowUs();
    if (nowUs - (this.notedUs.get(keyId) ?? -Infinity) < USE_NOTED_EVERY_US) return;
    this.notedUs.set(keyId, nowUs);
    this.meta.apiKeys.markUsed(keyId, formatTimestamp(nowUs)).catch((error: unknown) => {
      this.logger.warn(`The last use of API key ${keyId} was not noted: ${String(error)}`);
    });
  }
}
