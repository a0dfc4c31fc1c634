/**
 * The entry `@dacapo/collector/storage`: what a storage driver implements (`SpanStore`, and `MetaDatabase` with a `Dialect` for
 * `MetaStore`), its types, and the rules that all drivers share. The suites of `@dacapo/collector/storage/contract` check a driver.
 */
export type { SpanCost } from './prices/price-list.js';
export type { IndexedDocument, Section, SectionVector, StoredSection } from '@dacapo/indexes';
export { type AcceptedOutcome, type NewAcceptance, toSourceKey } from './storage/meta/accepted-outcomes.js';
export type { NewApiKey, StoredApiKey } from './storage/meta/api-keys.js';
export type { ListedAuditEntry, NewAuditEntry } from './storage/meta/audit.js';
export type { DeletionProgress, StoredDeletion } from './storage/meta/deletions.js';
export type { Dialect } from './storage/meta/dialect.js';
export type { WaitingForward, WaitingForwards } from './storage/meta/forwards.js';
export type { SkippedSpan } from './storage/meta/skipped-spans.js';
export type { NewFunctionVersion } from './storage/meta/functions.js';
export type { SectionQuery, StoredDocument } from './storage/meta/indexes.js';
export type { MediaOutcome, MediaToPut, MediaUse, ReceivedMedia, StoredMedia } from './storage/meta/media.js';
export type { NewShareLink, StoredShareLink } from './storage/meta/share-links.js';
export type { MemberChange, NewMember, NewMemberLink } from './storage/meta/members.js';
export type { MetaDatabase, StoreHealth } from './storage/meta/meta-database.js';
export { MetaStore } from './storage/meta/meta-store.js';
export { metaTables } from './storage/meta/schema/meta-tables.js';
export type { FoundBrowserSession, NewBrowserSession } from './storage/meta/sign-ins.js';
export { runMethod, type StoreCall } from './storage/meta/stores.js';
export {
  MetaTransaction,
  type Parameters,
  type SqlParameter,
  type SqlValue,
} from './storage/meta/transaction.js';
export type { ErasedCopies, OldRuns, RunItemRef, RunItemsOf } from './storage/ports/copies.js';
export type {
  ChangedDataset,
  DatasetChange,
  ListedDatasetItem,
  NewDatasetItem,
} from './storage/ports/dataset-change.js';
export { Locks } from './storage/coordination/locks.js';
export { burstSize, RateLimits, secondsUntilToken } from './storage/coordination/rate-limits.js';
export { toFilterText, metadataPathsIn, type SpanFacetQuery } from './storage/ports/facets.js';
export {
  type MetricsAnswer,
  type MetricsFilter,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  floorToPeriod,
} from './storage/ports/metrics-query.js';
export type { Position, Range } from './storage/ports/range.js';
export {
  scoreAmount,
  type ScoreFilter,
  type ScoreKey,
  toScoreKey,
  type ScoreList,
  type ScoreQuery,
  type ScoresOfTraces,
} from './storage/ports/score.js';
export {
  BATCH_IDS_KEPT_US,
  type CallTraceFilter,
  type ClassedCall,
  type FoundTrace,
  type IngestBatch,
  type IngestOutcome,
  type KnownTrace,
  type ListedTrace,
  MATCHES_OF_TRACE,
  type MatchingSpan,
  type SessionList,
  type SpanCondition,
  type SpanNode,
  type SpanPosition,
  type SpanRef,
  SpanStore,
  type SpanStoreCapabilities,
  type TraceList,
  type TracePosition,
} from './storage/ports/span-store.js';
export type { StorageFigures } from './storage/ports/storage-figures.js';
export type { Storage, StorageFactory } from './storage/storage.js';
export {
  toTotalName,
  type ItemFilter,
  type ItemKey,
  type ListedItem,
  type NewTestRun,
  type RunDecision,
  type RunSettlement,
  type SelectedRef,
  type StoredItem,
  type StoredTestRun,
  type TestRunChanges,
} from './storage/ports/test-run.js';
export {
  type DeletableFilter,
  type DeletablePage,
  DeletedGroups,
  type DeletedPart,
  digestGroup,
  type GroupDeletion,
  rememberedUntil,
  type TraceDeletion,
  type TraceDeletions,
  type TraceGroup,
} from './storage/ports/trace-deletion.js';
export {
  type AmountRange,
  hasMetadata,
  type MetadataFilter,
  listPathReadings,
  type SpanFilter,
  type TraceFilter,
} from './storage/ports/trace-filter.js';
export { computeContribution, type MetricSpan } from './storage/rules/contribution.js';
export { joinRecords } from './storage/rules/join-records.js';
export { previewError, previewJson, readOrigin } from './storage/rules/preview.js';
export { summarizeSpanUsage, type StoredSpan, sumTraceUsage } from './storage/rules/span-usage.js';
export { Tally } from './storage/rules/tally.js';
export { hasText, toSearchedSpan, type TextQuery, type TextTerm } from './storage/rules/text-query.js';
export { findRoot, worstStatus } from './storage/rules/trace-summary.js';
