export { Clock, SystemClock } from './clock.js';
export { createAccount } from './accounts/create-account.js';
export { CollectorModule } from './collector.module.js';
export {
  BackupExistsError,
  CannotListenError,
  CollectorError,
  DatabaseDamagedError,
  LostWritesError,
  DatabaseForeignError,
  DatabaseLostError,
  DatabaseNotFoundError,
  DatabaseThreadLostError,
  DatabaseTooNewError,
  DatabaseUnreleasedError,
  DataDirectoryInUseError,
  DataDirectoryNotWritableError,
  InvalidCursorError,
  InvalidOptionError,
  PortInUseError,
  RestoreWouldOverwriteError,
  StorageError,
  StorageFullError,
} from './errors.js';
export { CollectorLogger, type LogFields, type LogOptions, StderrLogger } from './logger.js';
export type { EmbedContext, Embedder } from './indexes/embeddings/embedder.js';
export type { CollectorOptions, IndexesOptions, MetricsOptions, StartCollectorOptions } from './options.js';
export { type RunningCollector, startCollector } from './start-collector.js';
export {
  type AcceptedOutcome,
  type AcceptedOutcomeStore,
  type NewAcceptance,
  sourceOf,
} from './storage/accepted-outcome-store.js';
export type { AuditStore, ListedAuditEntry, NewAuditEntry } from './storage/audit-store.js';
export type { ApiKeyStore, NewApiKey, StoredApiKey } from './storage/api-key-store.js';
export type { CheckOptions } from './storage/drivers/sqlite/maintenance/check-database.js';
export type { DatabaseFacts } from './storage/drivers/sqlite/maintenance/database-file.js';
export {
  backupDatabase,
  checkDatabase,
  type CheckDatabaseOptions,
  type CheckedDatabase,
  type MaintenanceOptions,
  type MaintenanceProgress,
  restoreDatabase,
} from './storage/drivers/sqlite/maintenance/maintain-database.js';
export type {
  ChangedDataset,
  DatasetChange,
  DatasetStore,
  ListedDatasetItem,
  NewDatasetItem,
} from './storage/dataset-store.js';
export type { CopyStore, ErasedCopies, OldRuns, RunItemRef, RunItemsOf } from './storage/copy-store.js';
export type { DeletionProgress, DeletionStore, StoredDeletion } from './storage/deletion-store.js';
export type { FunctionStore, NewFunctionVersion } from './storage/function-store.js';
export type {
  IndexedDocument,
  IndexStore,
  Section,
  SectionQuery,
  SectionVector,
  StoredDocument,
  StoredSection,
} from './storage/index-store.js';
export { joinRecords } from './storage/join-records.js';
export type { MemberChange, MemberStore, NewMember, NewMemberLink } from './storage/member-store.js';
export { type AccountStore, MetaStore, type StoreHealth } from './storage/meta-store.js';
export type { RetentionStore } from './storage/retention-store.js';
export type { ScoreFilter, ScoreKey, ScoreQuery } from './storage/score-log.js';
export type { FoundBrowserSession, NewBrowserSession, SignInStore } from './storage/sign-in-store.js';
export {
  type CallTraceFilter,
  type FirstSpanQuery,
  type IngestBatch,
  type IngestOutcome,
  type ListedTrace,
  type Position,
  type Range,
  type SessionList,
  type SpanNode,
  type SpanRef,
  SpanStore,
  type SpanStoreCapabilities,
  type TraceList,
  type TracePosition,
} from './storage/span-store.js';
export type {
  DeletableFilter,
  DeletablePage,
  DeletedPart,
  GroupDeletion,
  TraceDeletion,
  TraceDeletions,
  TraceGroup,
} from './storage/trace-deletion.js';
export type { TextQuery, TextTerm } from './storage/text-query.js';
export type { AmountRange, MetadataFilter, SpanFilter, TraceFilter } from './storage/trace-filter.js';
export type { Storage, StorageFactory } from './storage/storage.js';
export type {
  ItemFilter,
  ItemKey,
  ListedItem,
  NewTestRun,
  SelectedRef,
  StoredItem,
  StoredTestRun,
  TestRunChanges,
  TestRunStore,
} from './storage/test-run-store.js';
