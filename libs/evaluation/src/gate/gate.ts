import { nearestName } from '@dacapo/protocol';
import { InvalidArgumentError, describeValue } from '../errors.js';
import { checkConfidence } from '../statistics/interval.js';

/** How much a number may rise. A larger rise fails the run only with evidence. */
export interface RiseLimit {
  maxRise?: number;
  /**
   * Maximum number of items whose baseline has the measure and that lack it now: their model calls have no usage or price, or none was
   * seen. They are not compared. Failed items are not counted if `errors` has a limit. Default: 0.
   */
  unmeasured?: number;
}

/** Limits for a score. */
export interface ScoreLimit {
  /** Minimum of the mean. Exact, without evidence. */
  min?: number;
  /** How much the mean may drop from the baseline. A larger drop fails only with evidence: an interval that excludes "no drop". */
  maxDrop?: number;
  /**
   * Maximum number of items whose baseline has a number and that have none now, because the score no longer applies or is a label. They
   * are not compared. Items without the score, such as after a failed evaluator, always fail the gate. Default: 0.
   */
  lost?: number;
}

/**
 * The limits that a run must meet to pass. Counts and minima are exact; drops and rises fail only with evidence. Omitted limits are not
 * checked. Missing items, and missing scores that are named here, always fail.
 */
export interface Gate {
  /**
   * Maximum number of `changed` items, including new errors. Also counts `unknown` items and other errors, unless `unknown` or `errors`
   * is set.
   */
  changed?: number;
  unknown?: number;
  /**
   * Maximum number of items with an error. Default: any new error (the baseline did not fail) and any item that could not be replayed
   * fails the gate.
   */
  errors?: number;
  /** Maximum number of items whose inner calls differ from the recorded ones. */
  diverged?: number;
  /** Minimum number of items. Default: 1. */
  minItems?: number;
  scores?: Record<string, ScoreLimit>;
  /** Rise of the 95th percentile of durations, in milliseconds. */
  p95Ms?: RiseLimit;
  /** Rise of the mean number of tokens per item. */
  tokens?: RiseLimit;
  /** Rise of the mean cost per item, in US dollars. */
  costUsd?: RiseLimit;
  /** Confidence level of evidence. Default: 0.95. */
  confidence?: number;
}

/** Why a check failed. */
export interface Failure {
  /** The name of the check. */
  check: string;
  sentence: string;
}

const COUNTS = ['changed', 'unknown', 'errors', 'diverged', 'minItems'] as const;
const RISES = ['p95Ms', 'tokens', 'costUsd'] as const;
const NAMES: readonly string[] = [...COUNTS, 'scores', ...RISES, 'confidence'];

/**
 * Validates a gate strictly, because a misspelt limit would let every run pass.
 *
 * @throws InvalidArgumentError for an unknown limit or an invalid value
 */
export function readGate(value: unknown): Gate {
  const gate = readFields('gate', value, NAMES) as Gate;
  for (const name of COUNTS) checkCount(`gate.${name}`, gate[name]);
  for (const name of RISES) {
    if (gate[name] === undefined) continue;
    const { maxRise, unmeasured } = readFields(`gate.${name}`, gate[name], [
      'maxRise',
      'unmeasured',
    ]) as RiseLimit;
    checkSize(`gate.${name}.maxRise`, maxRise, 0);
    checkCount(`gate.${name}.unmeasured`, unmeasured);
  }
  if (gate.scores !== undefined) {
    for (const [name, limit] of Object.entries(objectAt('gate.scores', gate.scores))) {
      const path = `gate.scores.${name}`;
      const { min, maxDrop, lost } = readFields(path, limit, ['min', 'maxDrop', 'lost']) as ScoreLimit;
      checkSize(`${path}.min`, min, -Infinity);
      checkSize(`${path}.maxDrop`, maxDrop, 0);
      checkCount(`${path}.lost`, lost);
    }
  }
  if (gate.confidence !== undefined) checkConfidence(gate.confidence);
  return gate;
}

function readFields(path: string, value: unknown, names: readonly string[]): object {
  const fields = objectAt(path, value);
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return fields;
  const near = nearestName(unknown, names);
  const guess = near === undefined ? '' : `Did you mean "${near}"? `;
  throw new InvalidArgumentError(
    `${path}.${unknown}`,
    'is not a limit',
    `${guess}Limits: ${names.join(', ')}.`,
  );
}

function objectAt(path: string, value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw refused(path, 'must be an object', value, 'Write { errors: 0 }, say.');
}

function checkCount(path: string, count: number | undefined): void {
  if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) return;
  throw refused(path, 'must be a whole number of at least 0', count, 'Write a count of items.');
}

function checkSize(path: string, size: number | undefined, least: number): void {
  if (size === undefined || (Number.isFinite(size) && size >= least)) return;
  throw refused(
    path,
    least === 0 ? 'must be a number of at least 0' : 'must be a number',
    size,
    'Write a number.',
  );
}

function refused(path: string, rule: string, value: unknown, cure: string): InvalidArgumentError {
  return new InvalidArgumentError(path, `${rule}, not ${describeValue(value)}`, cure);
}
