/** A term of the vocabulary that was probably meant, and how sure that is, from 0 to 1. */
export interface Correction {
  term: number;
  certainty: number;
}

/** Terms that stand in for one word at most. */
const CORRECTIONS = 3;
/** Letters that a word must have before it is looked for inside longer names. */
const PART_LENGTH = 4;

/** Which letters and digits a word has, as bits: words with few edits between them differ in few bits. */
export function letterMask(word: string): number {
  let mask = 0;
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31);
  return mask;
}

/**
 * The terms nearest to a word that the vocabulary does not have: one edit away (a letter more, less, other, or two exchanged) for
 * words of four letters and more, two for words of eight; else names that contain it. None for shorter words and for numbers.
 *
 * @param frequency how many sections have the term; 0 when none has it any more
 */
export function closestTerms(
  word: string,
  terms: readonly string[],
  masks: readonly number[],
  frequency: (term: number) => number,
): Correction[] {
  if (word.length < PART_LENGTH || !/\p{L}/u.test(word) || /^\d/.test(word)) return [];
  const most = word.length >= 8 ? 2 : 1;
  const mask = letterMask(word);
  const near: (Correction & { count: number })[] = [];
  for (let term = 0; term < terms.length; term++) {
    const other = masks[term] ?? 0;
    const candidate = terms[term] ?? '';
    if (candidate.length < PART_LENGTH) continue;
    if (Math.abs(candidate.length - word.length) <= most && bits(other ^ mask) <= 2 * most) {
      const distance = editDistance(word, candidate, most);
      if (distance <= most && frequency(term) > 0) {
        const certainty = (0.9 - 0.25 * (distance - 1)) * (candidate[0] === word[0] ? 1 : 0.7);
        near.push({ term, certainty, count: frequency(term) });
      }
    } else if ((other & mask) === mask && candidate.length > word.length && candidate.includes(word)) {
      if (frequency(term) > 0)
        near.push({ term, certainty: (0.5 * word.length) / candidate.length, count: frequency(term) });
    }
  }
  return near
    .sort(
      (left, right) =>
        right.certainty - left.certainty ||
        right.count - left.count ||
        ((terms[left.term] ?? '') < (terms[right.term] ?? '') ? -1 : 1),
    )
    .slice(0, CORRECTIONS)
    .map(({ term, certainty }) => ({ term, certainty }));
}

function bits(value: number): number {
  let left = value;
  let count = 0;
  while (left !== 0) {
    left &= left - 1;
    count++;
  }
  return count;
}

/** Insertions, deletions, substitutions and exchanges of neighbours between two words; `most + 1` when there are more. */
export function editDistance(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1;
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
    if (Math.min(...current) > most) return most + 1;
    [before, above] = [above, current];
  }
  return Math.min(above[right.length] ?? 0, most + 1);
}
