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
