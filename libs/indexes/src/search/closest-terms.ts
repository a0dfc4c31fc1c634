/** A similar term of the vocabulary, and how likely it is the right one, from 0 to 1. */
export interface Correction {
  term: number;
  certainty: number;
}

const MAX_CORRECTIONS = 3;
/** Shorter words are not corrected. */
const MIN_LENGTH = 4;

/** The letters and digits of a word as bits. Words with a small edit distance differ in few bits. */
export function letterMask(word: string): number {
  let mask = 0;
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31);
  return mask;
}

/**
 * Finds the terms closest to a word that the vocabulary lacks: one edit away (a letter added, removed, replaced, or two swapped), or two
 * for words of at least eight letters; then longer names that contain the word. None for numbers and words under four letters.
 *
 * @param frequency the number of sections with the term
 */
export function closestTerms(
  word: string,
  terms: readonly string[],
  masks: readonly number[],
  frequency: (term: number) => number,
): Correction[] {
  if (word.length < MIN_LENGTH || !/\p{L}/u.test(word) || /^\d/.test(word)) return [];
  const maxDistance = word.length >= 8 ? 2 : 1;
  const mask = letterMask(word);
  const near: (Correction & { count: number })[] = [];
  for (let term = 0; term < terms.length; term++) {
    const other = masks[term] ?? 0;
    const candidate = terms[term] ?? '';
    if (candidate.length < MIN_LENGTH) continue;
    const isSimilar = Math.abs(candidate.length - word.length) <= maxDistance;
    if (isSimilar && countBits(other ^ mask) <= 2 * maxDistance) {
      const distance = editDistance(word, candidate, maxDistance);
      if (distance <= maxDistance && frequency(term) > 0) {
        const certainty = (0.9 - 0.25 * (distance - 1)) * (candidate[0] === word[0] ? 1 : 0.7);
        near.push({ term, certainty, count: frequency(term) });
      }
    } else if ((other & mask) === mask && candidate.length > word.length && candidate.includes(word)) {
      if (frequency(term) > 0) {
        near.push({ term, certainty: (0.5 * word.length) / candidate.length, count: frequency(term) });
      }
    }
  }
  return near
    .sort(
      (left, right) =>
        right.certainty - left.certainty ||
        right.count - left.count ||
        ((terms[left.term] ?? '') < (terms[right.term] ?? '') ? -1 : 1),
    )
    .slice(0, MAX_CORRECTIONS)
    .map(({ term, certainty }) => ({ term, certainty }));
}

function countBits(value: number): number {
  let left = value;
  let count = 0;
  while (left !== 0) {
    left &= left - 1;
    count++;
  }
  return count;
}

/** Counts insertions, deletions, substitutions and swaps of neighbours; `max + 1` when there are more than `max`. */
export function editDistance(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) > max) return max + 1;
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const isExchange =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isExchange) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    if (Math.min(...current) > max) return max + 1;
    [before, above] = [above, current];
  }
  return Math.min(above[right.length] ?? 0, max + 1);
}
