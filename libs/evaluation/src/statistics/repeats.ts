import { InvalidArgumentError } from '../errors.js';
import { checkCount, type Interval } from './interval.js';
import { wilsonInterval } from './wilson-interval.js';

/** One item that ran several times. */
export interface RepeatedItem {
  runs: number;
  passes: number;
}

/** Figures of repeated items. Only items with at least `k` runs count. */
export interface RepeatSummary {
  k: number;
  items: number;
  /** Probability that at least one of `k` runs passes, averaged over items. */
  passAtK: number;
  /** Probability that all of `k` runs pass, averaged over items. */
  passHatK: number;
  /** Items whose runs disagree. */
  flaky: number;
  /** 95 % interval of the share of items whose runs disagree. */
  flakyInterval: Interval;
}

/**
 * Unbiased estimate of the probability that at least one of `k` runs passes, from `passes` of `runs`: 1 − C(n−c, k) / C(n, k).
 *
 * Source: M. Chen et al., "Evaluating Large Language Models Trained on Code", 2021, equation 1.
 *
 * @throws InvalidArgumentError when there are fewer runs than `k`, or more passes than runs
 */
export function passAtK(runs: number, passes: number, k: number): number {
  checkRuns(runs, passes, k);
  let allFail = 1;
  for (let drawn = 0; drawn < k; drawn += 1) allFail *= Math.max(0, runs - passes - drawn) / (runs - drawn);
  return 1 - allFail;
}

/**
 * Unbiased estimate of the probability that all of `k` runs pass, from `passes` of `runs`: C(c, k) / C(n, k).
 *
 * Source: S. Yao et al., "τ-bench", 2024, section 3.
 *
 * @throws InvalidArgumentError when there are fewer runs than `k`, or more passes than runs
 */
export function passHatK(runs: number, passes: number, k: number): number {
  checkRuns(runs, passes, k);
  let allPass = 1;
  for (let drawn = 0; drawn < k; drawn += 1) allPass *= Math.max(0, passes - drawn) / (runs - drawn);
  return allPass;
}

/** Summarizes repeated items; zeros if no item has `k` runs. */
export function summarizeRepeats(items: readonly RepeatedItem[], k: number): RepeatSummary {
  const counted = items.filter(({ runs }) => runs >= k);
  const mean = (figure: typeof passAtK): number =>
    counted.reduce((sum, { runs, passes }) => sum + figure(runs, passes, k), 0) / Math.max(1, counted.length);
  const flaky = counted.filter(({ runs, passes }) => passes > 0 && passes < runs).length;
  return {
    k,
    items: counted.length,
    passAtK: mean(passAtK),
    passHatK: mean(passHatK),
    flaky,
    flakyInterval: wilsonInterval(flaky, counted.length),
  };
}

function checkRuns(runs: number, passes: number, k: number): void {
  checkCount('k', k, 1);
  checkCount('passes', passes, 0);
  checkCount('runs', runs, passes);
  if (runs >= k) return;
  throw new InvalidArgumentError(
    'k',
    `must be at most the number of runs, ${runs}, not ${k}`,
    'Repeat each item more often.',
  );
}
