import { InvalidArgumentError } from '../errors.js';
import { hasExpected } from './exact.js';
import { type Evaluator, named } from './evaluator.js';

/** Above this product of lengths, Levenshtein distance is too slow. */
const MOST_PAIRS = 25_000_000;

/** Returns strings unchanged, objects as JSON, and other values by `String`. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * Similarity of output and expected text, from 0 to 1: 1 minus the Levenshtein distance divided by the longer length. For two texts
 * longer than about 5,000 characters, the share of common words (Dice's coefficient).
 *
 * @param options `name`: default `textSimilarity`
 */
export function textSimilarity({ name = 'textSimilarity' }: { name?: string } = {}): Evaluator {
  return named(name, (context) => {
    if (!hasExpected(context)) return null;
    return 'error' in context ? 0 : similarity(toText(context.output), toText(context.expected));
  });
}

/** Passes if the output, as text, matches the pattern. `name`: default `matches`. */
export function matches(pattern: RegExp, { name = 'matches' }: { name?: string } = {}): Evaluator {
  // Global and sticky patterns keep the position of the last search.
  const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return named(name, (context) => !('error' in context) && stateless.test(toText(context.output)));
}

export interface ContainsOptions {
  /** Default: `contains`. */
  name?: string;
  /** Default: `false`. */
  ignoreCase?: boolean;
}

/**
 * Passes if the output, as text, contains the text, or all of the texts.
 *
 * @throws InvalidArgumentError when the list is empty
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
    const text = fold(toText(context.output));
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

/** Row by row; `row[j]` is the distance of the read part of `a` to the first `j` characters of `b`. */
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
