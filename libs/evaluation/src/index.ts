export { EvaluationError, InvalidArgumentError } from './errors.js';
export { type BootstrapOptions, pairedBootstrap } from './statistics/bootstrap.js';
export {
  type DetectableChange,
  detectableChange,
  detectableDifference,
} from './statistics/detectable-effect.js';
export { holm } from './statistics/holm.js';
export type { Difference, Interval } from './statistics/interval.js';
export { mcnemarTest } from './statistics/mcnemar.js';
export { type DifferenceOptions, meanDifference } from './statistics/mean-difference.js';
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
export type { Call, Evaluation, Evaluator, EvaluatorContext, Evaluators } from './evaluators/evaluator.js';
export { exact, type ExactOptions } from './evaluators/exact.js';
export { jsonSchema, type JsonSchemaOptions } from './evaluators/json-schema.js';
export { judge, type JudgeOptions } from './evaluators/judge.js';
export { sameWithin, structural, type Tolerance } from './evaluators/structural.js';
export { contains, type ContainsOptions, matches, textSimilarity } from './evaluators/text.js';
export { countsBeside, expectedItems, type GateCount, storedDecision } from './gate/counts-beside.js';
export { decide } from './gate/decide.js';
export { formatInterval, formatNumber, formatP } from './gate/words.js';
export { type Gate, readGate, type RiseLimit, type ScoreLimit } from './gate/gate.js';
export type { Divergence, ModelCalls, RunItem, Usage, Verdict } from './run/run-item.js';
export { gapsOf, type GapKind, tokensOf } from './run/measure-gaps.js';
export { RunTally } from './run/run-tally.js';
export { type TalliedItem, USAGE_MEASURES } from './run/played-item.js';
export {
  type Decision,
  itemId,
  type MeasureSummary,
  type Run,
  type RunSummary,
  type RunTotals,
  type ScoreSummary,
  type UnmeasuredSummary,
  type UsageSummary,
} from './run/run.js';
export type { NamedScore, Score } from './run/score.js';
export {
  countedSpans,
  countUsage,
  fromItemModelCalls,
  fromItemUsage,
  sumUsage,
  toItemModelCalls,
  toItemUsage,
  untoldCalls,
  usageOf,
  type PlacedSpan,
  type UsageSpan,
} from './usage/count-usage.js';
export { besideRecording, judgeReport } from './verdict/judge-report.js';
export { judgeStored } from './verdict/judge-stored.js';
export {
  hasEnded,
  newOutcomeOf,
  notesOfOutcome,
  originalOutcomeOf,
  recordedError,
  recordedOutcome,
  type StoredOutcome,
} from './verdict/recorded-outcome.js';
export { type Judgement, judgeOutcome, type OutcomeOptions, type Outcome } from './verdict/judge-outcome.js';
export { nodeOf } from './values/live-node.js';
export { toJUnit } from './reports/junit.js';
export { type MarkdownOptions, toMarkdown } from './reports/markdown.js';
export { type ReportItem, type RunReport, skipReason } from './reports/report.js';
export { type TextOptions, toText } from './reports/text.js';
