import { MetaStore, type StoreHealth } from '../../../meta-store.js';
import type { Checkpointer } from '../checkpointer.js';
import type { Connection } from '../connection.js';
import type { PacedDeletes } from '../paced-deletes.js';
import type { ReaderPool } from '../reader-pool.js';
import type { Reserve } from '../reserve.js';
import type { SqliteHealth } from '../sqlite-health.js';
import { SqliteAcceptedOutcomeStore } from './sqlite-accepted-outcome-store.js';
import { SqliteAccountStore } from './sqlite-account-store.js';
import { SqliteApiKeyStore } from './sqlite-api-key-store.js';
import { SqliteAuditStore } from './sqlite-audit-store.js';
import { SqliteCopyStore } from './sqlite-copy-store.js';
import { SqliteDatasetStore } from './sqlite-dataset-store.js';
import { SqliteDeletionStore } from './sqlite-deletion-store.js';
import { SqliteFunctionStore } from './sqlite-function-store.js';
import { SqliteIndexStore } from './sqlite-index-store.js';
import { SqliteMemberStore } from './sqlite-member-store.js';
import { SqliteRetentionStore } from './sqlite-retention-store.js';
import { SqliteSignInStore } from './sqlite-sign-in-store.js';
import { SqliteTestRunStore } from './sqlite-test-run-store.js';

export class SqliteMetaStore extends MetaStore {
  readonly accounts: SqliteAccountStore;
  readonly apiKeys: SqliteApiKeyStore;
  readonly members: SqliteMemberStore;
  readonly signIns: SqliteSignInStore;
  readonly testRuns: SqliteTestRunStore;
  readonly accepted: SqliteAcceptedOutcomeStore;
  readonly datasets: SqliteDatasetStore;
  readonly indexes: SqliteIndexStore;
  readonly functions: SqliteFunctionStore;
  readonly audit: SqliteAuditStore;
  readonly deletions: SqliteDeletionStore;
  readonly copies: SqliteCopyStore;
  readonly retention: SqliteRetentionStore;

  constructor(
    writer: Connection,
    reader: ReaderPool,
    private readonly health: Pick<SqliteHealth, 'check'>,
    deletes: PacedDeletes,
    checkpointer: Pick<Checkpointer, 'copy' | 'empty'>,
    reserve: Pick<Reserve, 'forDeletions' | 'takeBack'>,
  ) {
    super();
    this.accounts = new SqliteAccountStore(writer, reader, deletes, checkpointer);
    this.apiKeys = new SqliteApiKeyStore(writer, reader);
    this.members = new SqliteMemberStore(writer, reader);
    this.signIns = new SqliteSignInStore(writer, reader);
    this.testRuns = new SqliteTestRunStore(writer, reader);
    this.accepted = new SqliteAcceptedOutcomeStore(writer, reader);
    this.datasets = new SqliteDatasetStore(writer, reader);
    this.indexes = new SqliteIndexStore(writer, reader);
    this.functions = new SqliteFunctionStore(writer, reader);
    this.audit = new SqliteAuditStore(writer, reader);
    this.deletions = new SqliteDeletionStore(reserve.forDeletions(writer), reader, checkpointer, reserve);
    this.copies = new SqliteCopyStore(reserve.forDeletions(writer), reader);
    this.retention = new SqliteRetentionStore(writer, reader);
  }

  ping(): Promise<StoreHealth> {
    return this.health.check();
  }
}
