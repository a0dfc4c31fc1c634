import {
  allows,
  type ApiKeySummary,
  type CreateApiKeyRequest,
  type CreatedApiKey,
  formatTimestamp,
  type Scope,
  SCOPES,
} from '@dacapo/protocol';
import { ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
import { hintOf, newApiKey } from './api-key.js';
import { sha256 } from './secrets.js';

@Injectable()
export class ApiKeyService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
  ) {}

  list(accountId: string): Promise<ApiKeySummary[]> {
    return this.meta.apiKeys.list(accountId);
  }

  /**
   * The answer holds the whole key; it is not kept anywhere.
   *
   * @param givenBy what its maker may do, who gives no more than that: all, when it is the service itself
   * @throws ForbiddenException
   */
  async create(
    accountId: string,
    { name, scopes = ['ingest'] }: CreateApiKeyRequest,
    givenBy: readonly Scope[] = SCOPES,
  ): Promise<CreatedApiKey> {
    const beyond = scopes.filter((scope) => !allows(givenBy, scope));
    if (beyond.length > 0) {
      throw new ForbiddenException(
        `Nobody gives more than he has: ${beyond.join(', ')}. Make this key with one that has every scope that it shall have`,
      );
    }
    const apiKey = newApiKey();
    const summary = {
      id: randomUUID(),
      name,
      hint: hintOf(apiKey),
      scopes,
      created_at: formatTimestamp(this.clock.nowUs()),
    };
    const { id, hint, created_at: createdAt } = summary;
    await this.meta.apiKeys.create({ id, accountId, name, hint, hash: sha256(apiKey), scopes, createdAt });
    return { ...summary, api_key: apiKey };
  }

  /** @throws NotFoundException when the account has no such key in use */
  async revoke(accountId: string, id: string): Promise<void> {
    const revokedAt = formatTimestamp(this.clock.nowUs());
    if (!(await this.meta.apiKeys.revoke(accountId, id, revokedAt))) {
      throw new NotFoundException(`API key ${id} not found`);
    }
  }
}
