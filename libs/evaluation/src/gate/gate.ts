import { InvalidArgumentError, tell } from '../errors.js';
import { checkConfidence } from '../statistics/interval.js';

/** How much a number may grow before a run fails; more than this needs evidence. */
export interface RiseLimit {
  maxRise?: number;
  /**
   * At most so many items of which it is not known now, though their baseline has it: their model calls told no usage or have no
   * price, or none was seen. They are left out of the comparison. Items that failed are not among them where `errors` is limited.
   * Default: 0.
   */
  unmeasured?: number;
}

/** What a run's scores under one name must reach. */
export interface ScoreLimit {
  /** The mean must be at least this. Exact. */
  min?: number;
  /** The mean may drop by this from the baseline. More needs evidence: an interval that excludes "no drop". */
  maxDrop?: number;
  /**
   * At most so many items whose baseline has a number and that have none now, because the score does not apply to them any more, or
   * sorts now. They are left out of the comparison. Items that miss it, as when the evaluator failed, always fail. Default: 0.
   */
  lost?: number;
}

/**
 * What a run must keep to pass. Counts and minima are exact limits; drops and rises count with evidence only. What is
 * left out is not asked; something missing, an item or a score that is named here, always fails.
 */
export interface Gate {
  /**
   * At most this many items `changed`, new errors included. `unknown` items and all other errors count too, unless the gate has a
   * limit for them: `unknown`, `errors`.
   */
  changed?: number;
  unknown?: number;
  /**
   * At most this many items with an error. Without it, the gate fails for each new error (the item's baseline did not fail) and for each
   * item that could not be played.
   */
  errors?: number;
  /** At most so many items whose calls inside are not the recorded ones. */
  diverged?: number;
  /** At least so many items. Default: 1. */
  minItems?: number;
  scores?: Record<string, ScoreLimit>;
  /** Milliseconds that the 95th percentile of durations may rise by. */
  p95Ms?: RiseLimit;
  /** Tokens that an item's mean may rise by. */
  tokens?: RiseLimit;
  /** US dollars that an item's mean may rise by. */
  costUsd?: RiseLimit;
  /** How sure evidence must be. Default: 0.95. */
  confidence?: number;
}

/** A sentence on why a check failed. */
export interface Failure {
  /** The name of the check. */
  check: string;
  sentence: string;
}

const COUNTS = ['changed', 'unknown', 'errors', 'diverged', 'minItems'] as const;
const RISES = ['p95Ms', 'tokens', 'costUsd'] as const;
const NAMES: readonly string[] = [...COUNTS, 'scores', ...RISES, 'confidence'];

/**
 * Reads a gate, as from a command line: a misspelt limit would pass everything.
 *
 * @throws InvalidArgumentError for a name that is no limit, or a value that cannot work
 */
export function readGate(value: unknown): Gate {
  const gate = fieldsOf('gate', value, NAMES) as Gate;
  for (const name of COUNTS) checkCount(`gate.${name}`, gate[name]);
  for (const name of RISES) {
    if (gate[name] === undefined) continue;
    const { maxRise, unmeasured } = fieldsOf(`gate.${name}`, gate[name], [
      'maxRise',
      'unmeasured',
    ]) as RiseLimit;
    checkSize(`gate.${name}.maxRise`, maxRise, 0);
    checkCount(`gate.${name}.unmeasured`, unmeasured);
  }
  if (gate.scores !== undefined) {
    for (const [name, limit] of Object.entries(objectAt('gate.scores', gate.scores))) {
      const path = `gate.scores.${name}`;
      const { min, maxDrop, lost } = fieldsOf(path, limit, ['min', 'maxDrop', 'lost']) as ScoreLimit;
      checkSize(`${path}.min`, min, -Infinity);
      checkSize(`${path}.maxDrop`, maxDrop, 0);
      checkCount(`${path}.lost`, lost);
    }
  }
  if (gate.confidence !== undefined) checkConfidence(gate.confidence);
  return gate;
}

function fieldsOf(path: string, value: unknown, names: readonly string[]): object {
  const fields = objectAt(path, value);
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return fields;
  throw new InvalidArgumentError(
    `${path}.${unknown}`,
    'is no limit that there is',
    `There are: ${names.join(', ')}.`,
  );
}

function objectAt(path: string, value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw refused(path, 'must be an object', value, 'Write { errors: 0 }, say.');
}

function checkCount(path: string, count: number | undefined): void {
  if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) return;
  throw refused(path, 'must be a whole number from 0 up', count, 'Write a count of items.');
}

function checkSize(path: string, size: number | undefined, least: number): void {
  if (size === undefined || (Number.isFinite(size) && size >= least)) return;
  throw refused(
    path,
    least === 0 ? 'must be a number from 0 up' : 'must be a number',
    size,
    'Write a number.',
  );
}

function refused(path: string, rule: string, value: unknown, cure: string): InvalidArgumentError {
  return new InvalidArgumentError(path, `${rule}, not ${tell(value)}`, cure);
}
