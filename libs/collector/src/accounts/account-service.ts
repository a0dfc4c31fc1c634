import {
  type AccountDetail,
  type CallerDetail,
  type CreatedAccount,
  formatTimestamp,
  type Member,
  type Scope,
  SCOPES,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Locks } from '../storage/coordination/locks.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { DeletionService } from '../deletions/deletion-service.js';
import { ApiKeyService } from './api-key-service.js';
import { randomBase62 } from './secrets.js';

interface Caller {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly member?: Member;
}

@Injectable()
export class AccountService {
  constructor(
    private readonly meta: MetaStore,
    private readonly deletions: DeletionService,
    private readonly apiKeys: ApiKeyService,
    private readonly locks: Locks,
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

  /** The key has every scope. */
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

  /** @throws NotFoundException */
  async describeCaller({ accountId, scopes, member }: Caller): Promise<CallerDetail> {
    return { ...(await this.get(accountId)), scopes: [...scopes], ...(member && { member }) };
  }

  /** Deletes the account at once and its data in the background. Its keys stay known as those of a deleted account (SPEC 7). */
  async delete(accountId: string): Promise<void> {
    await this.deletions.createForAccount(accountId);
    await this.meta.accounts.delete(accountId);
  }

  /** The oldest account. If there is none, creates one, and `apiKey` is its first key. */
  async ensureFirst(): Promise<{ account: AccountDetail; apiKey?: string }> {
    const made = await this.locks.exclusively('first account', () => this.findOrCreateFirst());
    return made ?? this.ensureFirst();
  }

  private async findOrCreateFirst(): Promise<{ account: AccountDetail; apiKey?: string }> {
    const first = await this.meta.accounts.findFirst();
    if (first) return { account: first };
    const { account, api_key: key } = await this.createWithKey('default');
    return { account, apiKey: key.api_key };
  }
}
