import type { AccountDetail } from '@dacapo/protocol';
import type { AcceptedOutcomeStore } from './accepted-outcome-store.js';
import type { ApiKeyStore } from './api-key-store.js';
import type { AuditStore } from './audit-store.js';
import type { CopyStore } from './copy-store.js';
import type { DatasetStore } from './dataset-store.js';
import type { DeletionStore } from './deletion-store.js';
import type { FunctionStore } from './function-store.js';
import type { IndexStore } from './index-store.js';
import type { MemberStore } from './member-store.js';
import type { RetentionStore } from './retention-store.js';
import type { SignInStore } from './sign-in-store.js';
import type { TestRunStore } from './test-run-store.js';

export interface AccountStore {
  create(account: AccountDetail): Promise<void>;
  find(accountId: string): Promise<AccountDetail | undefined>;
  /** The account that was made first. */
  findFirst(): Promise<AccountDetail | undefined>;
  /** Deletes the account and its sign-ins: nobody gets in any more. Its keys stay, so that they are not taken for unknown ones. */
  delete(accountId: string): Promise<boolean>;
  /** Deletes what it owned, except its deletions and its keys, which lose their names. May be repeated. */
  deleteOwned(accountId: string): Promise<void>;
}

export interface StoreHealth {
  /** When all that is stored was looked through last; absent when it was not yet, or another program looks after it. */
  checkedAt?: string;
}

/**
 * Where all is kept that is no span: accounts, keys, members, sign-ins, test runs, accepted outcomes, datasets, indexes, native functions,
 * deletions and the audit log.
 */
export abstract class MetaStore {
  abstract readonly accounts: AccountStore;
  abstract readonly apiKeys: ApiKeyStore;
  abstract readonly members: MemberStore;
  abstract readonly signIns: SignInStore;
  abstract readonly testRuns: TestRunStore;
  abstract readonly accepted: AcceptedOutcomeStore;
  abstract readonly datasets: DatasetStore;
  abstract readonly indexes: IndexStore;
  abstract readonly functions: FunctionStore;
  abstract readonly audit: AuditStore;
  abstract readonly deletions: DeletionStore;
  abstract readonly copies: CopyStore;
  abstract readonly retention: RetentionStore;

  /** @throws StorageError when the store cannot be read or written: the kind of error says why */
  abstract ping(): Promise<StoreHealth>;
}
