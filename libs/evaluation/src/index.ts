export { EvaluationError, InvalidArgumentError } from './errors.js';
export { detectableDifference } from './statistics/detectable-effect.js';
export { type Agreement, cohensKappa, type Rating } from './statistics/cohens-kappa.js';
export {
  compareVariants,
  type CompareVariantsOptions,
  type VariantComparison,
  type VariantScores,
} from './statistics/compare-variants.js';
export { holm } from './statistics/holm.js';
export type { Difference, Interval } from './statistics/interval.js';
export { type DifferenceOptions, meanDifference, type PairDifference } from './statistics/mean-difference.js';
export { type NoiseSummary, type ScoreNoise, summarizeNoise } from './statistics/noise.js';
export { percentileDifference, type PercentileOptions } from './statistics/percentile-difference.js';
export { Random } from './statistics/random.js';
export {
  passAtK,
  passHatK,
  type RepeatedItem,
  type RepeatSummary,
  summarizeRepeats,
} from './statistics/repeats.js';
export { wilsonInterval } from './statistics/wilson-interval.js';
export { diffNodes, type DiffOptions } from './diff/diff-nodes.js';
export { showNode } from './diff/show.js';
export type { DiffSide, ValueDiff } from './diff/value-diff.js';
export {
  applyEvaluators,
  type Evaluated,
  EvaluatorFailedError,
  nameEvaluators,
} from './evaluators/apply-evaluators.js';
export {
  called,
  type CalledOptions,
  calledInOrder,
  type CallMatcher,
  latency,
  tokens,
} from './evaluators/bounds.js';
export {
  type Call,
  type Evaluation,
  type Evaluator,
  type EvaluatorContext,
  type Evaluators,
  isVarying,
  type EvaluatedBaseline,
} from './evaluators/evaluator.js';
export { exact, type ExactOptions } from './evaluators/exact.js';
export { jsonSchema, type JsonSchemaOptions } from './evaluators/json-schema.js';
export { judge, type JudgeOptions } from './evaluators/judge.js';
export { type ComparedAnswers, pairwise, type PairwiseOptions } from './evaluators/pairwise.js';
export { JudgeAnswerError } from './evaluators/read-choice.js';
export { sameWithin, structural, type Tolerance } from './evaluators/structural.js';
export { contains, type ContainsOptions, matches, textSimilarity } from './evaluators/text.js';
export {
  countAgainstLimits,
  expectedItems,
  type GateCount,
  storedDecision,
} from './gate/count-against-limits.js';
export { decide } from './gate/decide.js';
export { decideAgain } from './gate/decide-again.js';
export { readChecks } from './gate/read-checks.js';
export { formatEvidence, formatInterval, formatNumber, formatP } from './gate/words.js';
export { type Gate, readGate, type RiseLimit, type ScoreLimit } from './gate/gate.js';
export type { Verdict } from '@dacapo/protocol';
export type { Divergence, ModelCalls, RunItem, Usage } from './run/run-item.js';
export { findGaps, type GapKind, sumTokens } from './run/measure-gaps.js';
export type { EvidenceLimits } from './run/evidence-limits.js';
export { RunTally } from './run/run-tally.js';
export { type RepetitionFacts, type TalliedItem, USAGE_MEASURES } from './run/item-tally.js';
export type { ReportItem, ReportScore, ReportTexts, Run, RunReport } from './run/run-report.js';
export {
  type Check,
  type Decision,
  itemId,
  type MeasureSummary,
  type RunSummary,
  type RunTotals,
  type ScoreSummary,
  type UnmeasuredSummary,
  type UsageSummary,
} from './run/run.js';
export { type NamedScore, scoreToNumber, type Score } from './run/score.js';
export {
  countedSpans,
  countUsage,
  sumUsage,
  findCallsWithoutUsage,
  readUsage,
  type PlacedSpan,
  type UsageSpan,
} from './usage/count-usage.js';
export { addRecordedCall, judgeReport } from './verdict/judge-report.js';
export { judgeStored, type StoredOutcomeOptions } from './verdict/judge-stored.js';
export {
  hasEnded,
  readCandidateOutcome,
  pickOutcomeNotes,
  readBaselineOutcome,
  recordedError,
  recordedOutcome,
  type StoredOutcome,
} from './verdict/recorded-outcome.js';
export { type Judgement, judgeOutcome, type OutcomeOptions, type Outcome } from './verdict/judge-outcome.js';
export { checkIgnorable, type PathArgument, withoutPaths } from './values/ignored-paths.js';
export { toNode } from './values/live-node.js';
export { type ItemDetails, type ItemOutline, ReportItems } from './reports/report-items.js';
export { toHtml } from './reports/html/html.js';
export { toJUnit } from './reports/junit.js';
export { toMarkdown } from './reports/markdown.js';
export { code as toMarkdownCode } from './reports/markdown-syntax.js';
export type { HtmlOptions, MarkdownOptions, ReportOptions, TextOptions } from './run/report-options.js';
export { toText } from './reports/text.js';
export { needsReview } from './reports/rows.js';
export { describeComparison } from './reports/variants.js';
export { toVariantsHtml } from './reports/html/variants-html.js';
export { toVariantsMarkdown } from './reports/variants-markdown.js';
export {
  meanScore,
  showOutputs,
  showScore,
  type VariantRow,
  type VariantsReport,
} from './reports/variants-report.js';
export {
  collectChecks,
  summarizeDecision,
  describeDecision,
  describeSkipped,
  describeInnerCalls,
  plain as stripControlCharacters,
  skipReason,
} from './reports/words.js';
