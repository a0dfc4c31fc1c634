export { ProtocolError } from './errors.js';
export { countOpenings, endOfString, hasMoreMembers, isDeeperThan } from './framing/json-bounds.js';
export { memberTexts } from './framing/json-members.js';
export { type Line, splitLines } from './framing/ndjson.js';
export {
  type AccountDetail,
  allows,
  type ApiKeySummary,
  type BrowserSessionSummary,
  type CallerDetail,
  type CreateAccountRequest,
  type CreateApiKeyRequest,
  type CreatedAccount,
  type CreatedApiKey,
  DEFAULT_OVERLAP_S,
  type EndBrowserSessionsAnswer,
  LONGEST_OVERLAP_S,
  MOST_REQUESTS_PER_MINUTE,
  type RotateApiKeyRequest,
  type RotatedApiKey,
  type Scope,
  SCOPES,
} from './http/api-keys.js';
export { AUDITED_ACTIONS, type AuditedAction, type AuditEntry } from './http/audit.js';
export { type Member, type Role, ROLES } from './records/member.js';
export {
  type ComparedFigure,
  type ComparedItem,
  type FigureDifference,
  PAIR_RELATIONS,
  type PairRelation,
  type RunComparison,
  type RunFigures,
} from './http/run-comparison.js';
export {
  type ChangeRoleRequest,
  DEFAULT_LINK_LIFE_S,
  type InviteMemberRequest,
  type JoinAnswer,
  type JoinRequest,
  LONGEST_LINK_LIFE_S,
  type MemberLink,
  type MemberSummary,
  type NewMemberLinkRequest,
  SCOPES_OF_ROLE,
  SIGN_IN_CODE_PREFIX,
} from './http/members.js';
export type { Envelope, ErrorBody, Page, RefusedEntry } from './http/answers.js';
export type { RecordedCall, RecordedCallTree, RecordedDescendant, SearchCallsRequest } from './http/calls.js';
export type {
  AddDatasetVersionAnswer,
  AddDatasetVersionRequest,
  CreateDatasetRequest,
} from './http/datasets.js';
export type { ActivateFunctionRequest, PushFunctionRequest } from './http/functions.js';
export {
  type AddDocumentsAnswer,
  type AddDocumentsRequest,
  CONTEXT_EXPANSIONS,
  type ContextExpansion,
  type ContextResult,
  type CreateIndexRequest,
  type DeleteDocumentsAnswer,
  type DeleteDocumentsRequest,
  DOCUMENT_TYPES,
  type DocumentType,
  type DocumentUpload,
  type GetContextData,
  type GetContextRequest,
  type IndexDetail,
  type ListDocumentsAnswer,
  type ListIndexesData,
  type SkippedDocument,
} from './http/indexes.js';
export type { IngestAnswer, Rejection } from './http/ingest.js';
export type { AddScoresAnswer, AddScoresRequest } from './http/scores.js';
export type {
  AcceptItemRequest,
  BaselineOutcome,
  CreateTestRunRequest,
  FinishTestRunRequest,
  RejectedItem,
  BaselineScoresAnswer,
  ReportTestRunItemsAnswer,
  ReportTestRunItemsRequest,
  SelectedCall,
  TestRunHeartbeatAnswer,
} from './http/test-runs.js';
export {
  type Facet,
  FACETS,
  type FacetValues,
  type FirstCall,
  type SessionSummary,
  type SpanDetail,
  type SpanSummary,
  TRACE_AMOUNTS,
  TRACE_SORTS,
  type TraceAmount,
  type TraceDetail,
  type TraceFunctionKeySummary,
  type TracePage,
  type TraceSort,
  type TraceSummary,
} from './http/traces.js';
export {
  type CreateDeletionRequest,
  DELETION_STATES,
  type DeletionCounts,
  type DeletionPreview,
  type DeletionRecord,
  type DeletionScope,
  type DeletionState,
} from './http/deletions.js';
export { missingMember } from './http/missing-member.js';
export type {
  PreviewRetentionRequest,
  RetentionPolicy,
  RetentionPreview,
  SetRetentionRequest,
} from './http/retention.js';
export { HEADERS, routePath, ROUTES } from './http/routes.js';
export {
  type ComputeCostsAnswer,
  type ComputeCostsRequest,
  type MetricsAnswer,
  type MetricsItem,
  type SpanUsage,
  type TraceUsage,
} from './http/usage.js';
export { isSpanId, newSpanId } from './ids/span-id.js';
export { fromW3cTraceId, isTraceId, newTraceId, toW3cTraceId } from './ids/trace-id.js';
export { isJsonObject, type JsonObject, type JsonValue } from './json/json-value.js';
export { LIMITS } from './limits.js';
export { nearestName } from './nearest-name.js';
export { Fields } from './parsing/fields.js';
export { readFieldConditions } from './parsing/parse-conditions.js';
export { type IngestLine, parseIngestLine, readIngestLine, rejectLine } from './parsing/parse-ingest-line.js';
export { parseAuthor, parseScoreRecord } from './parsing/parse-score.js';
export { parseErrorRecord, parseSpanRecord, parseUsageRecord } from './parsing/parse-span.js';
export { parseTraceRecord } from './parsing/parse-trace.js';
export {
  type DatasetDetail,
  type DatasetItem,
  type DatasetItemInput,
  type DatasetItemSource,
  type DatasetSummary,
  type DatasetVersion,
  isDatasetName,
} from './records/dataset.js';
export { type IndexRemote, REMOTE_KINDS, type RemoteKind, type RemotePage } from './records/index-remote.js';
export { type IndexedService, type IndexType, INDEX_TYPES, isIndexId } from './records/indexed-service.js';
export {
  type FunctionSummary,
  type FunctionVersionRecord,
  type FunctionVersionSummary,
  isFunctionName,
} from './records/native-function.js';
export {
  type Author,
  AUTHOR_KINDS,
  type AuthorKind,
  type BaselineScore,
  type ItemScore,
  type ScoreRecord,
  type ScoreTarget,
  type ScoreValue,
} from './records/score.js';
export {
  type CaptureMeta,
  type ErrorRecord,
  type FieldMeta,
  type RecordedStream,
  SPAN_KINDS,
  SPAN_LEVELS,
  SPAN_STATUSES,
  SPAN_TYPES,
  type SpanData,
  type SpanKind,
  type SpanLevel,
  type SpanRecord,
  type SpanStatus,
  type SpanType,
  type SpanLink,
  type StartedBy,
  type UsageRecord,
} from './records/span.js';
export { FIELD_NAMES, FIELD_OPTIONS, fieldCondition } from './records/conditions.js';
export type { FieldCondition, FieldConditions, FieldName } from './records/conditions.js';
export {
  type CallSample,
  type CallSelection,
  SAMPLE_KINDS,
  type SampleKind,
  type SelectionRecord,
  SKIP_REASONS,
  type SkipReason,
} from './records/call-selection.js';
export type { NormalizedCalls } from './records/normalized-calls.js';
export { type Divergence, DIVERGENCE_KINDS, type DivergenceKind } from './records/divergence.js';
export {
  type Acceptance,
  type Baseline,
  ITEM_FLAGS,
  type ItemFlag,
  ITEM_TIMINGS,
  type ItemModelCalls,
  type ItemTiming,
  type ItemUsage,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunItemSummary,
  type TestRunRecord,
  TEST_RUN_STATUSES,
  type TestRunStatus,
  type TestRunTotals,
  type Verdict,
  VERDICTS,
} from './records/test-run.js';
export { factsOfPatch, factsOfSpan, firstTags, labelsOf, outranks } from './records/trace-facts.js';
export { TRACE_LABELS, type TraceFact, TraceFacts, type TraceLabel } from './records/trace-facts.js';
export type { TraceRecord } from './records/trace.js';
export { foreignNamePattern } from './masking/foreign-names.js';
export { markedSecretPatterns } from './masking/marked-patterns.js';
export { labelPattern, listedPattern, namedSecretPatterns } from './masking/named-patterns.js';
export { BUILT_IN_PATTERNS, type Mask, type SecretPattern } from './masking/patterns.js';
export {
  type NameRule,
  type NameStrength,
  nameStrength,
  SECRET_NAMES,
  secretNameRule,
} from './masking/secret-names.js';
export { PII_KINDS, type PiiKind, piiPatterns } from './masking/pii-patterns.js';
export { PHRASE_PATTERNS } from './masking/phrase-patterns.js';
export {
  isHeaderList,
  isLogin,
  isPrivatePart,
  isSecretData,
  isSecretValue,
  NAME_KEYS,
  nameBesideValue,
  VALUE_KEYS,
} from './masking/secret-values.js';
export { TextMasker } from './masking/text-masker.js';
export { PROVIDER_KEYS } from './masking/token-heads.js';
export { formatTimestamp, parseTimestamp } from './timestamp.js';
export { canonical, type CanonicalForm, type CanonicalGap, isExact } from './values/canonical.js';
export {
  classTraits,
  type ClassTraits,
  dataProperty,
  functionName,
  hasSymbolData,
  isObjectPrototype,
  mayHideState,
  subclassName,
  traitsOf,
} from './values/class-traits.js';
export { decode, decodeInstances, type Decoder, type RecordedInstance } from './values/decode.js';
export { once, unproven, withoutProof } from './values/derived-node.js';
export { type AmountFormats, describeCut, describeType, typeName } from './values/describe.js';
export { equal, type EqualOptions } from './values/equal.js';
export type { Equality } from './values/equality.js';
export { AGENT_RUN, comparedEntries, comparedOfError, namesHandle } from './values/error-facts.js';
export { decodeThrown, readError, type RecordedError } from './values/errors.js';
export { hashOf, hashOfForm, type Sha256 } from './values/hash-of.js';
export {
  type ByteClass,
  type Cut,
  type Notes,
  readCut,
  readNotes,
  MASKED_JSON,
  MASKED_OTHER,
  readTypeNote,
  type TypeNote,
  type WireCut,
  type WireHash,
  type WireExtension,
  type WireTypeNote,
  type WireWrapperNote,
} from './values/notes.js';
export { isInside, pointerSteps, pointerTo, relativePointer, resolveRelative } from './values/pointer.js';
export { platformReason } from './values/platform-reason.js';
export { readValue, type RecordedValue } from './values/read-value.js';
export { hasNamesBesideItems, hasUnrecordedData } from './values/unrecorded-data.js';
export type {
  ContainerNode,
  Entry,
  GapNode,
  ScalarNode,
  ValueNode,
  WrapperNode,
} from './values/value-node.js';
