import { InvalidArgumentError } from '../errors.js';
import { hasExpected } from './exact.js';
import { type Evaluator, named } from './evaluator.js';

/** Comparing more pairs of characters than this takes longer than it tells. */
const MOST_PAIRS = 25_000_000;

/** Text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * How alike output and expected text are, from 0 to 1: 1 less the Levenshtein distance as a share of the longer text. Where
 * both are longer than some 5,000 characters, it is the share of words that they have in common (Dice's coefficient).
 *
 * @param options `name`: default `textSimilarity`
 */
export function textSimilarity({ name = 'textSimilarity' }: { name?: string } = {}): Evaluator {
  return named(name, (context) => {
    if (!hasExpected(context)) return null;
    return 'error' in context ? 0 : similarity(textOf(context.output), textOf(context.expected));
  });
}

/** Whether the output, as text, has a match. `name`: default `matches`. */
export function matches(pattern: RegExp, { name = 'matches' }: { name?: string } = {}): Evaluator {
  // A search leaves its place in a global or sticky pattern, and the next one would begin there.
  const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return named(name, (context) => !('error' in context) && stateless.test(textOf(context.output)));
}

export interface ContainsOptions {
  /** Default: `contains`. */
  name?: string;
  /** Default: `false`. */
  ignoreCase?: boolean;
}

/**
 * Whether the output, as text, contains this text, or all of these texts.
 *
 * @throws InvalidArgumentError when there is none
 */
export function contains(
  texts: string | readonly string[],
  { name = 'contains', ignoreCase = false }: ContainsOptions = {},
): Evaluator {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const wanted = typeof texts === 'string' ? [texts] : texts;
  if (wanted.length === 0)
    throw new InvalidArgumentError('texts', 'must not be empty', 'Name a text to look for.');
  return named(name, (context) => {
    if ('error' in context) return false;
    const text = fold(textOf(context.output));
    const missing = wanted.filter((part) => !text.includes(fold(part)));
    if (missing.length === 0) return true;
    return { score: false, explanation: `Missing: ${missing.join(', ')}` };
  });
}

function similarity(one: string, other: string): number {
  if (one === other) return 1;
  const [a, b] = [Array.from(one), Array.from(other)];
  if (a.length * b.length > MOST_PAIRS) return commonWords(one, other);
  return 1 - levenshtein(a, b) / Math.max(a.length, b.length);
}

/** Row by row; `row[j]` is the distance of what was read of `a` to the first `j` of `b`. */
function levenshtein(a: readonly string[], b: readonly string[]): number {
  const row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, character] of a.entries()) {
    let diagonal = i;
    row[0] = i + 1;
    for (const [j, other] of b.entries()) {
      const above = row[j + 1] ?? 0;
      const left = row[j] ?? 0;
      row[j + 1] = Math.min(above + 1, left + 1, diagonal + (character === other ? 0 : 1));
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
}

function commonWords(one: string, other: string): number {
  const [a, b] = [one.split(/\s+/), other.split(/\s+/)];
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const count = left.get(word) ?? 0;
    if (count > 0) common += 1;
    left.set(word, count - 1);
  }
  return (2 * common) / (a.length + b.length);
}
