import type { AccountDetail, ApiKeySummary, FunctionVersionRecord } from '@dacapo/protocol';
import type { ApiKeyStore, NewApiKey, StoredApiKey } from '../../api-key-store.js';
import type { FunctionStore } from '../../function-store.js';
import { type AccountStore, MetaStore } from '../../meta-store.js';
import type { SignInStore } from '../../meta-store.js';
import { MemoryAcceptedOutcomeStore } from './memory-accepted-outcome-store.js';
import { MemoryDatasetStore } from './memory-dataset-store.js';
import { MemoryIndexStore } from './memory-index-store.js';
import { MemoryTestRunStore } from './memory-test-run-store.js';

export class MemoryMetaStore extends MetaStore {
  readonly apiKeys = new MemoryApiKeyStore();
  readonly signIns = new MemorySignInStore();
  readonly accepted = new MemoryAcceptedOutcomeStore();
  readonly testRuns = new MemoryTestRunStore(this.accepted);
  readonly datasets = new MemoryDatasetStore(this.accepted);
  readonly indexes = new MemoryIndexStore();
  readonly functions = new MemoryFunctionStore();
  readonly accounts = new MemoryAccountStore((accountId) => {
    for (const store of [
      this.signIns,
      this.accepted,
      this.testRuns,
      this.datasets,
      this.indexes,
      this.functions,
    ]) {
      store.deleteAccount(accountId);
    }
  });

  ping(): Promise<void> {
    return Promise.resolve();
  }
}

class MemoryAccountStore implements AccountStore {
  private readonly accounts = new Map<string, AccountDetail>();

  constructor(private readonly deleteOwned: (accountId: string) => void) {}

  create(account: AccountDetail): Promise<void> {
    this.accounts.set(account.id, account);
    return Promise.resolve();
  }

  find(accountId: string): Promise<AccountDetail | undefined> {
    return Promise.resolve(this.accounts.get(accountId));
  }

  findFirst(): Promise<AccountDetail | undefined> {
    return Promise.resolve(this.accounts.values().next().value);
  }

  delete(accountId: string): Promise<boolean> {
    this.deleteOwned(accountId);
    return Promise.resolve(this.accounts.delete(accountId));
  }
}

class MemoryApiKeyStore implements ApiKeyStore {
  private readonly keys: (NewApiKey & { revokedAt?: string; usedAt?: string })[] = [];

  create(key: NewApiKey): Promise<void> {
    this.keys.push({ ...key });
    return Promise.resolve();
  }

  findByHash(hash: Uint8Array): Promise<StoredApiKey | undefined> {
    const key = this.keys.find((one) => Buffer.from(one.hash).equals(hash));
    return Promise.resolve(key && { ...key, isRevoked: key.revokedAt !== undefined });
  }

  list(accountId: string): Promise<ApiKeySummary[]> {
    const keys = this.keys.filter((key) => key.accountId === accountId && key.revokedAt === undefined);
    return Promise.resolve(
      keys.map(({ id, name, hint, createdAt, usedAt }) => ({
        id,
        name,
        hint,
        created_at: createdAt,
        ...(usedAt !== undefined && { last_used_at: usedAt }),
      })),
    );
  }

  revoke(accountId: string, id: string, revokedAt: string): Promise<boolean> {
    const key = this.keys.find((one) => one.accountId === accountId && one.id === id && !one.revokedAt);
    if (key) key.revokedAt = revokedAt;
    return Promise.resolve(key !== undefined);
  }

  markUsed(id: string, usedAt: string): Promise<void> {
    const key = this.keys.find((one) => one.id === id);
    if (key) key.usedAt = usedAt;
    return Promise.resolve();
  }

  hasAny(): Promise<boolean> {
    return Promise.resolve(this.keys.length > 0);
  }
}

class MemorySignInStore implements SignInStore {
  private readonly secrets = {
    token: new Map<string, { accountId: string; expiresAt: string }>(),
    session: new Map<string, { accountId: string; expiresAt: string }>(),
  };

  addToken(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void> {
    this.secrets.token.set(hex(hash), { accountId, expiresAt });
    return Promise.resolve();
  }

  takeToken(hash: Uint8Array, now: string): Promise<string | undefined> {
    const token = this.secrets.token.get(hex(hash));
    this.secrets.token.delete(hex(hash));
    return Promise.resolve(token && token.expiresAt > now ? token.accountId : undefined);
  }

  addSession(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void> {
    this.secrets.session.set(hex(hash), { accountId, expiresAt });
    return Promise.resolve();
  }

  findSession(hash: Uint8Array, now: string): Promise<string | undefined> {
    const session = this.secrets.session.get(hex(hash));
    return Promise.resolve(session && session.expiresAt > now ? session.accountId : undefined);
  }

  deleteSession(hash: Uint8Array): Promise<void> {
    this.secrets.session.delete(hex(hash));
    return Promise.resolve();
  }

  deleteExpired(now: string): Promise<void> {
    this.deleteWhere(({ expiresAt }) => expiresAt <= now);
    return Promise.resolve();
  }

  deleteAccount(accountId: string): void {
    this.deleteWhere((secret) => secret.accountId === accountId);
  }

  private deleteWhere(isGone: (secret: { accountId: string; expiresAt: string }) => boolean): void {
    for (const secrets of Object.values(this.secrets)) {
      for (const [hash, secret] of secrets) if (isGone(secret)) secrets.delete(hash);
    }
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

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
