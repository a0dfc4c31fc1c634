export {
  isTimeSort,
  AMOUNTS,
  TRACE_AMOUNTS,
  TRACE_SORTS,
  type TraceAmount,
  type TraceSort,
} from './api/conditions/amounts.js';
export type { Condition } from './api/conditions/condition.js';
export {
  type CallConditions,
  conditionLabel,
  type ConditionName,
  conditionOption,
  type ConditionOption,
  CONDITIONS,
  conditionsIn,
  describeCondition,
  documentCondition,
  type ListConditions,
} from './api/conditions/conditions.js';
export {
  isMetricsGroup,
  isSpanGroup,
  METRICS_GROUPS,
  type MetricsGroup,
  type SpanGroup,
  type TraceGroup,
} from './api/conditions/metrics-groups.js';
export {
  formatQueryLine,
  type LineParameters,
  parseAge,
  parseQueryLine,
  QueryLineError,
} from './api/conditions/query-line.js';
export { ProtocolError } from './errors.js';
export { countOpenings, findStringEnd, hasMoreMembers, isDeeperThan } from './framing/json-bounds.js';
export { memberTexts } from './framing/json-members.js';
export { type Line, splitLines } from './framing/ndjson.js';
export type {
  AccountDetail,
  CallerDetail,
  CreateAccountRequest,
  CreatedAccount,
} from './api/routes/accounts.js';
export type {
  ApiKeySummary,
  CreateApiKeyRequest,
  CreatedApiKey,
  RotatedApiKey,
} from './api/routes/api-keys.js';
export type { BrowserSessionSummary } from './api/routes/browser-sessions.js';
export type {
  InviteMemberRequest,
  JoinAnswer,
  Member,
  MemberLink,
  MemberSummary,
} from './api/routes/members.js';
export {
  allows,
  DEFAULT_OVERLAP_S,
  LONGEST_OVERLAP_S,
  mayDecide,
  MOST_REQUESTS_PER_MINUTE,
  type Scope,
  SCOPES,
} from './http/api-keys.js';
export { parseRetryAfter } from './http/retry-after.js';
export type { AuditEntry } from './api/routes/audit.js';
export { errorKind } from './records/error-kind.js';
export type { Change, ChangesAnswer, ChangesRequest, ComparedFigures } from './api/routes/changes.js';
export type { MetricsAnswer, MetricsItem, MetricsRequest } from './api/routes/metrics.js';
export { AGENT_TOOLS, type AgentTool, AUDITED_ACTIONS, type AuditedAction } from './http/audit.js';
export {
  DEFAULT_LINK_LIFE_S,
  LONGEST_LINK_LIFE_S,
  type Role,
  ROLES,
  SCOPES_OF_ROLE,
  SIGN_IN_CODE_PREFIX,
} from './http/members.js';
export type {
  ComparedFigure,
  ComparedItem,
  FigureDifference,
  RunCandidate,
  RunComparison,
  RunFigures,
} from './api/routes/run-comparison.js';
export { type Agreement, AGREEMENTS, PAIR_RELATIONS, type PairRelation } from './records/pair-relations.js';
export { DEFAULT_SHARE_LIFE_S, LONGEST_SHARE_LIFE_S, SHARED_PAGES } from './http/share-links.js';
export type { CreatedShareLink, CreateShareLinkRequest, ShareLinkSummary } from './api/routes/share-links.js';
export type { SharedObject } from './api/routes/shared.js';
export type { ErrorBody, Page } from './http/answers.js';
export type { RefusedEntry } from './api/routes/refused-entry.js';
export type {
  RecordedCall,
  RecordedCallTree,
  RecordedDescendant,
  SearchCallsRequest,
} from './api/routes/calls.js';
export type {
  AddDatasetVersionAnswer,
  AddDatasetVersionRequest,
  CreateDatasetRequest,
  DatasetDetail,
  DatasetItem,
  DatasetItemInput,
  DatasetItemSource,
  DatasetSummary,
  DatasetVersion,
} from './api/routes/datasets.js';
export type { CallSample, CallSelection, SelectionRecord } from './api/routes/selection.js';
export type {
  ActivateFunctionRequest,
  FunctionSummary,
  FunctionVersionRecord,
  FunctionVersionSummary,
  PushFunctionRequest,
} from './api/routes/functions.js';
export type {
  AddDocumentsAnswer,
  CreateIndexRequest,
  DocumentUpload,
  IndexDetail,
  IndexRemote,
  RemotePage,
  SkippedDocument,
} from './api/routes/indexes.js';
export type {
  ContextResult,
  GetContextData,
  GetContextRequest,
  IndexedService,
} from './api/routes/developer.js';
export type { IngestAnswer } from './api/routes/ingest.js';
export type { AddScoresAnswer, AddScoresRequest } from './api/routes/scores.js';
export type {
  AcceptItemRequest,
  BaselineOutcome,
  CreateTestRunRequest,
  FinishTestRunRequest,
  RejectedItem,
  ReportTestRunItemsAnswer,
  SelectedCall,
} from './api/routes/test-runs.js';
export type { Baseline, TestRunRecord, TestRunTotals } from './api/routes/test-run-record.js';
export type { GridRow, RunGrid } from './api/routes/run-grid.js';
export type { DecideRequest, DecisionRecord, JudgedItem } from './api/routes/decisions.js';
export { type Facet, FACETS, type SpanDetail, type SpanSummary } from './http/traces.js';
export type {
  FacetValues,
  FirstCall,
  Snippet,
  UsualDuration,
  SessionSummary,
  TraceDetail,
  TraceFunctionKeySummary,
  TracePage,
  TraceSummary,
  TracesRequest,
  TraceUsage,
} from './api/routes/traces.js';
export type {
  CreateDeletionRequest,
  DeletionCounts,
  DeletionPreview,
  DeletionRecord,
  DeletionScope,
  DeletionState,
} from './api/routes/deletions.js';
export { missingMember } from './http/missing-member.js';
export type {
  PreviewRetentionRequest,
  RetentionPolicy,
  RetentionPreview,
  SetRetentionRequest,
} from './api/routes/retention.js';
export { HEADERS, INGEST_PATH } from './http/headers.js';
export type { SpanUsage } from './http/usage.js';
export {
  fromW3cTraceId,
  isSpanId,
  isTraceId,
  newSpanId,
  newTraceId,
  toW3cTraceId,
  uuidFromHash,
} from './ids/ids.js';
export { type CamelCased, camelCased, type SnakeCased, snakeCased } from './json/casing.js';
export { isJsonObject, type JsonObject, type JsonValue } from './json/json-value.js';
export { LIMITS } from './limits.js';
export { nearestName } from './nearest-name.js';
export { Fields } from './parsing/fields.js';
export {
  type IngestLine,
  parseIngestLine,
  readIngestLine,
  rejectLine,
  type Rejection,
} from './parsing/parse-ingest-line.js';
export { isMediaId, parseMediaRecord } from './parsing/parse-media.js';
export { parseAuthor, parseScoreRecord } from './parsing/parse-score.js';
export { parseErrorRecord, parseSpanRecord, parseUsageRecord } from './parsing/parse-span.js';
export { parseTraceRecord } from './parsing/parse-trace.js';
export { anthropicMessages } from './prompts/anthropic-messages.js';
export { contentsText } from './prompts/google-contents.js';
export { hasMembers, type Members, toList, toMembers } from './prompts/members.js';
export {
  callText,
  contentText,
  formatPrompt,
  type PromptMessage,
  resultText,
} from './prompts/message-text.js';
export { openAiMessages } from './prompts/openai-messages.js';
export { type PromptFormat, formatRequestPrompt, withPrompt } from './prompts/prompt-formats.js';
export { isDatasetName } from './records/dataset.js';
export {
  CONTEXT_EXPANSIONS,
  type ContextExpansion,
  DOCUMENT_TYPES,
  type DocumentType,
  INDEX_TYPES,
  type IndexType,
  REMOTE_KINDS,
  type RemoteKind,
} from './records/indexed-service.js';
export { isFunctionName } from './records/native-function.js';
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
export type { MediaRecord } from './records/media.js';
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
export { SAMPLE_KINDS, type SampleKind, SKIP_REASONS, type SkipReason } from './records/call-selection.js';
export {
  type Acceptance,
  ITEM_FLAGS,
  ITEM_TIMINGS,
  type ItemFlag,
  type ItemModelCalls,
  type ItemTiming,
  type ItemUsage,
  type Judgement,
  JUDGEMENTS,
  type NormalizedCalls,
  TEST_RUN_STATUSES,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunItemSummary,
  type TestRunStatus,
  type Verdict,
  VERDICTS,
} from './records/test-run.js';
export { type Divergence, DIVERGENCE_KINDS, type DivergenceKind } from './records/divergence.js';
export { readPatchFacts, readSpanFacts, firstTags, pickLabels, supersedes } from './records/trace-facts.js';
export { TRACE_LABELS, type TraceFact, TraceFacts, type TraceLabel } from './records/trace-facts.js';
export type { TraceRecord } from './records/trace.js';
export { foreignNamePattern } from './masking/foreign-names.js';
export { markedSecretPatterns } from './masking/marked-patterns.js';
export { labelPattern, listedPattern, namedSecretPatterns } from './masking/named-patterns.js';
export { BUILT_IN_PATTERNS, type Mask, type SecretPattern } from './masking/patterns.js';
export { redactionToken } from './values/redaction-token.js';
export {
  type NameRule,
  type NameStrength,
  nameStrength,
  SECRET_NAMES,
  secretNameRule,
} from './masking/secret-names.js';
export { PII_KINDS, type PiiKind, piiPatterns } from './masking/pii-patterns.js';
export { PHRASE_PATTERNS } from './masking/phrase-patterns.js';
export { isHeaderList, isSecretValue, NAME_KEYS, VALUE_KEYS } from './masking/secret-values.js';
export { type HintBudget, TextMasker } from './masking/text-masker.js';
export {
  FLAT_HEADERS,
  type MaskedValue,
  maskValue,
  type MaskRules,
  SHORTEST_SECRET,
  type TypedPlaces,
} from './masking/value-masker.js';
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
  readClassTraits,
} from './values/class-traits.js';
export { decode, decodeInstances, type Decoder, type RecordedInstance } from './values/decode.js';
export { once, dropHashes, withoutHashes } from './values/derived-node.js';
export { type AmountFormats, describeCut, describeType, typeName } from './values/describe.js';
export { equal, type EqualOptions } from './values/equal.js';
export type { Equality } from './values/equality.js';
export { AGENT_RUN, comparedEntries, comparedErrorEntries, isHandleName } from './values/error-facts.js';
export { decodeThrown, readError, type RecordedError } from './values/errors.js';
export { hashNode } from './values/hash-node.js';
export { hashCanonicalForm, type Sha256 } from './values/hash-canonical-form.js';
export {
  type ByteClass,
  type Cut,
  mediaReferences,
  type MediaReference,
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
export { restoreMedia } from './values/restore-media.js';
export { readValue, type RecordedValue } from './values/read-value.js';
export { hasExtraNames } from './values/extra-names.js';
export { hasUnrecordedData } from './values/unrecorded-data.js';
export type {
  ContainerNode,
  Entry,
  GapNode,
  ScalarNode,
  ValueNode,
  WrapperNode,
} from './values/value-node.js';
