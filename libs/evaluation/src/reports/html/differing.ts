import { type Content, element } from './markup.js';

/** Texts are marked if they share at least 1/5 of the shorter one. */
const LEAST_COMMON = 5;
const MOST_SKIPPED = 60;
/** Shorter matches may be coincidental. */
const MEETING_LENGTH = 24;

/**
 * Marks the part of two texts between their common beginning and end. Texts with little in common are not marked.
 */
export function differing(baseline: string, candidate: string): { baseline: Content; candidate: Content } {
  const most = Math.min(baseline.length, candidate.length);
  let start = 0;
  while (start < most && baseline[start] === candidate[start]) start += 1;
  let end = 0;
  while (end < most - start && baseline.at(-1 - end) === candidate.at(-1 - end)) end += 1;
  let ends: [number, number] = [end, end];
  const rest = baseline.endsWith('…') && candidate.endsWith('…') && meeting(baseline, candidate, start);
  if (rest) ends = [baseline.length - rest[0], candidate.length - rest[1]];
  if (start + Math.min(...ends) < most / LEAST_COMMON) return { baseline, candidate };
  if (isWordAt(baseline, start) || isWordAt(candidate, start))
    while (start > 0 && isWordAt(baseline, start - 1)) start -= 1;
  const texts = [baseline, candidate] as const;
  const cutsWord = (text: string, side: number): boolean => {
    const at = text.length - (ends[side] ?? 0);
    return at > start && isWordAt(text, at - 1) && isWordAt(text, at);
  };
  while (Math.min(...ends) > 0 && texts.some(cutsWord)) ends = [ends[0] - 1, ends[1] - 1];
  const marked = (name: 'del' | 'ins', text: string, tail: number): Content => {
    const middle = text.slice(start, text.length - tail);
    return [
      text.slice(0, start),
      middle === '' ? [] : element(name, {}, middle),
      text.slice(text.length - tail),
    ];
  };
  return { baseline: marked('del', baseline, ends[0]), candidate: marked('ins', candidate, ends[1]) };
}

/** Finds where two cut texts continue alike, within `MOST_SKIPPED` characters after their first difference. */
function meeting(baseline: string, candidate: string, start: number): [number, number] | undefined {
  for (let skipped = 0; skipped <= 2 * MOST_SKIPPED; skipped += 1)
    for (let here = Math.max(0, skipped - MOST_SKIPPED); here <= Math.min(skipped, MOST_SKIPPED); here += 1) {
      const [at, other] = [start + here, start + skipped - here];
      const text = baseline.slice(at, at + MEETING_LENGTH);
      if (text.length === MEETING_LENGTH && candidate.startsWith(text, other)) return [at, other];
    }
  return undefined;
}

/** Used to mark whole words. */
function isWordAt(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[at] ?? '');
}
