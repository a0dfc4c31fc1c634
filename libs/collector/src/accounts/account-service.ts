import { type AccountDetail, type CreatedAccount, formatTimestamp, SCOPES } from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
import { DeletionService } from '../deletions/deletion-service.js';
import { ApiKeyService } from './api-key-service.js';
import { randomBase62 } from './secrets.js';

@Injectable()
export class AccountService {
  constructor(
    private readonly meta: MetaStore,
    private readonly deletions: DeletionService,
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

  /** Its first key has every scope. */
  async createWithKey(name: string, keyName = 'first key'): Promise<CreatedAccount> {
    const account = await this.create(name);
    return {
      account,
      api_key: await this.apiKeys.create(account.id, { name: keyName, scopes: [...SCOPES] }),
    };
  }

  /** @throws NotFoundException */
  async get(accountId: string): Promise<AccountDetail> {
    const account = await this.meta.accounts.find(accountId);
    if (!account) throw new NotFoundException(`User account not found for user_account_id ${accountId}`);
    return account;
  }

  /**
   * Takes the account away at once, and all it owned bit by bit, from then on and after a restart. Its keys stay known as those of
   * an account that was deleted (SPEC 7).
   */
  async delete(accountId: string): Promise<void> {
    await this.deletions.createOfAccount(accountId);
    await this.meta.accounts.delete(accountId);
  }

  /** The account of a service with one account, and its first key when both were made just now. */
  async ensureFirst(): Promise<{ account: AccountDetail; apiKey?: string }> {
    const first = await this.meta.accounts.findFirst();
    if (first) return { account: first };
    const { account, api_key: key } = await this.createWithKey('default');
    return { account, apiKey: key.api_key };
  }
}
