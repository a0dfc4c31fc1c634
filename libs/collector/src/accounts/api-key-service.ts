import { type ApiKeySummary, type CreatedApiKey, formatTimestamp } from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
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

  /** The answer holds the whole key; it is not kept anywhere. */
  async create(accountId: string, name: string): Promise<CreatedApiKey> {
    const apiKey = newApiKey();
    const summary = {
      id: randomUUID(),
      name,
      hint: hintOf(apiKey),
      created_at: formatTimestamp(this.clock.nowUs()),
    };
    const { id, hint, created_at: createdAt } = summary;
    await this.meta.apiKeys.create({ id, accountId, name, hint, hash: sha256(apiKey), createdAt });
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
