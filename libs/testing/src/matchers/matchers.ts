import type { ReplayResult } from '@dacapo/tracer';
import { CassetteAssertionError } from '../errors.js';
import { compareRecording, type Comparison } from './compare-recording.js';
import { checkGate, findRegressions, type RegressionOptions } from './find-regressions.js';

/** What `expect.extend` of Jest and Vitest takes from a matcher. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The matchers, for `interface Matchers<R> extends CassetteMatchers<R> {}`. */
export interface CassetteMatchers<R = unknown> {
  /** Outcome and inner calls equal the recording. Await it. */
  toMatchRecording(): Promise<R>;
  /** A replay is not worse than its baseline. */
  toHaveNoRegressions(options?: RegressionOptions): R;
  /** The gate of a replay passed. */
  toPassGate(): R;
}

/** For `expect.extend({ toMatchRecording })` of Jest and Vitest. */
export async function toMatchRecording(received: unknown): Promise<MatcherResult> {
  const comparison = await compareRecording(received);
  return toResult(comparison, 'Expected a difference from the recording.');
}

/** For `expect.extend({ toHaveNoRegressions })` of Jest and Vitest. */
export function toHaveNoRegressions(received: ReplayResult, options?: RegressionOptions): MatcherResult {
  return toResult(findRegressions(received, options), 'Expected a regression.');
}

/** For `expect.extend({ toPassGate })` of Jest and Vitest. */
export function toPassGate(received: ReplayResult): MatcherResult {
  return toResult(checkGate(received), 'Expected the gate to fail.');
}

/** For `node:test`: @throws CassetteAssertionError if outcome or inner calls differ from the recording */
export async function assertMatchesRecording(received: unknown): Promise<void> {
  throwUnlessPassed(await compareRecording(received));
}

/** For `node:test`: @throws CassetteAssertionError if the replay is worse than its baseline */
export function assertNoRegressions(result: ReplayResult, options?: RegressionOptions): void {
  throwUnlessPassed(findRegressions(result, options));
}

/** For `node:test`: @throws CassetteAssertionError if the gate of the replay failed */
export function assertPassesGate(result: ReplayResult): void {
  throwUnlessPassed(checkGate(result));
}

function toResult({ pass, text }: Comparison, negated: string): MatcherResult {
  return { pass, message: () => (pass ? `${negated}\n${text}` : text) };
}

function throwUnlessPassed({ pass, text }: Comparison): void {
  if (!pass) throw new CassetteAssertionError(text);
}
