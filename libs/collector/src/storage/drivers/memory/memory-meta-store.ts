import type { AccountDetail, FunctionVersionRecord } from '@dacapo/protocol';
import type { FunctionStore } from '../../function-store.js';
import { type AccountStore, MetaStore, type StoreHealth } from '../../meta-store.js';
import { DeletedCopies } from './deleted-copies.js';
import { MemoryAcceptedOutcomeStore } from './memory-accepted-outcome-store.js';
import { MemoryApiKeyStore } from './memory-api-key-store.js';
import { MemoryAuditStore } from './memory-audit-store.js';
import { MemoryCopyStore } from './memory-copy-store.js';
import { MemoryDatasetStore } from './memory-dataset-store.js';
import { MemoryDeletionStore } from './memory-deletion-store.js';
import { MemoryIndexStore } from './memory-index-store.js';
import { MemoryMemberStore } from './memory-member-store.js';
import { MemoryRetentionStore } from './memory-retention-store.js';
import { MemorySignInStore } from './memory-sign-in-store.js';
import { MemoryTestRunStore } from './memory-test-run-store.js';

export class MemoryMetaStore extends MetaStore {
  readonly apiKeys = new MemoryApiKeyStore((accountId) => this.accounts.has(accountId));
  readonly members = new MemoryMemberStore((memberId) => {
    this.signIns.deleteSessionsOf(memberId);
  });
  readonly signIns = new MemorySignInStore(this.apiKeys, this.members);
  private readonly deleted = new DeletedCopies();
  readonly accepted = new MemoryAcceptedOutcomeStore();
  readonly testRuns = new MemoryTestRunStore(this.accepted, this.deleted);
  readonly datasets = new MemoryDatasetStore(this.accepted, this.deleted);
  readonly indexes = new MemoryIndexStore();
  readonly functions = new MemoryFunctionStore();
  readonly audit = new MemoryAuditStore(this.apiKeys);
  readonly deletions = new MemoryDeletionStore();
  readonly copies = new MemoryCopyStore(this.deleted, this.accepted, this.testRuns, this.datasets);
  readonly retention = new MemoryRetentionStore();
  readonly accounts: MemoryAccountStore = new MemoryAccountStore(
    [this.signIns, this.members],
    (accountId) => {
      for (const store of [
        this.accepted,
        this.testRuns,
        this.datasets,
        this.indexes,
        this.functions,
        this.audit,
        this.deleted,
        this.retention,
        this.apiKeys,
      ]) {
        store.deleteAccount(accountId);
      }
    },
  );

  ping(): Promise<StoreHealth> {
    return Promise.resolve({});
  }
}

class MemoryAccountStore implements AccountStore {
  private readonly accounts = new Map<string, AccountDetail>();

  constructor(
    private readonly access: readonly { deleteAccount(accountId: string): void }[],
    private readonly forgetOwned: (accountId: string) => void,
  ) {}

  create(account: AccountDetail): Promise<void> {
    this.accounts.set(account.id, account);
    return Promise.resolve();
  }

  has(accountId: string): boolean {
    return this.accounts.has(accountId);
  }

  find(accountId: string): Promise<AccountDetail | undefined> {
    return Promise.resolve(this.accounts.get(accountId));
  }

  findFirst(): Promise<AccountDetail | undefined> {
    return Promise.resolve(this.accounts.values().next().value);
  }

  delete(accountId: string): Promise<boolean> {
    for (const store of this.access) store.deleteAccount(accountId);
    return Promise.resolve(this.accounts.delete(accountId));
  }

  deleteOwned(accountId: string): Promise<void> {
    this.forgetOwned(accountId);
    return Promise.resolve();
  }
}

type StoredVersion = Omit<FunctionVersionRecord, 'is_active'>;

class MemoryFunctionStore implements FunctionStore {
  /** By account and name; the versions of each from 1 up. */
  private readonly accounts = new Map<string, Map<string, { versions: StoredVersion[]; active?: number }>>();

  addVersion(
    accountId: string,
    { createdAt, ...version }: Parameters<FunctionStore['addVersion']>[1],
  ): Promise<number> {
    const functions = this.accounts.get(accountId) ?? new Map<string, { versions: StoredVersion[] }>();
    this.accounts.set(accountId, functions);
    const { versions } = functions.get(version.name) ?? { versions: [] };
    if (versions.length === 0) functions.set(version.name, { versions });
    return Promise.resolve(
      versions.push({ ...version, version: versions.length + 1, created_at: createdAt }),
    );
  }

  activate(accountId: string, name: string, version: number): Promise<boolean> {
    const found = this.accounts.get(accountId)?.get(name);
    if (found?.versions[version - 1] === undefined) return Promise.resolve(false);
    found.active = version;
    return Promise.resolve(true);
  }

  list(accountId: string): ReturnType<FunctionStore['list']> {
    const summaries = [...(this.accounts.get(accountId) ?? [])].flatMap(([name, { versions, active }]) =>
      active === undefined
        ? []
        : [
            {
              name,
              active_version: active,
              version_count: versions.length,
              updated_at: versions.at(-1)?.created_at ?? '',
            },
          ],
    );
    return Promise.resolve(summaries.sort((left, right) => (left.name < right.name ? -1 : 1)));
  }

  listVersions(accountId: string, name: string): ReturnType<FunctionStore['listVersions']> {
    const { versions = [], active } = this.accounts.get(accountId)?.get(name) ?? {};
    const summaries = versions.map(({ version, entry, note, created_at }) => ({
      name,
      version,
      entry,
      ...(note !== undefined && { note }),
      created_at,
      is_active: version === active,
    }));
    return Promise.resolve(summaries.reverse());
  }

  findVersion(
    accountId: string,
    name: string,
    version: number | 'active' | 'newest',
  ): Promise<FunctionVersionRecord | undefined> {
    const { versions = [], active } = this.accounts.get(accountId)?.get(name) ?? {};
    const wanted = { active, newest: versions.length }[version as 'active' | 'newest'] ?? version;
    const found = typeof wanted === 'number' ? versions[wanted - 1] : undefined;
    return Promise.resolve(found && { ...found, is_active: found.version === active });
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }
}
