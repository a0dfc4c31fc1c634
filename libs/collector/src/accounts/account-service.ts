import { type AccountDetail, formatTimestamp, SCOPES } from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
import { SpanStore } from '../storage/span-store.js';
import { ApiKeyService } from './api-key-service.js';
import { randomBase62 } from './secrets.js';

@Injectable()
export class AccountService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly apiKeys: ApiKeyService,
    private readonly clock: Clock,
  ) {}

  async create(name: string): Promise<AccountDetail> {
    const account = {
      id: `acc_${randomBase62(16)}`,
      name,
      created_at: formatTimestamp(this.clock.nowUs()),
    };
    await this.meta.accounts.create(account);
    return account;
  }

  /** @throws NotFoundException */
  async get(accountId: string): Promise<AccountDetail> {
    const account = await this.meta.accounts.find(accountId);
    if (!account) throw new NotFoundException(`User account not found for user_account_id ${accountId}`);
    return account;
  }

  /** Takes the account and all it owns away. Its keys stay known as those of an account that is gone (SPEC 7). */
  async delete(accountId: string): Promise<void> {
    await this.meta.accounts.delete(accountId);
    await this.spans.deleteAccount(accountId);
  }

  /** The account of a service with one account, and its first key when both were made just now. */
  async ensureFirst(): Promise<{ account: AccountDetail; apiKey?: string }> {
    const first = await this.meta.accounts.findFirst();
    if (first) return { account: first };
    const account = await this.create('default');
    const { api_key: apiKey } = await this.apiKeys.create(account.id, {
      name: 'first key',
      scopes: [...SCOPES],
    });
    return { account, apiKey };
  }
}
