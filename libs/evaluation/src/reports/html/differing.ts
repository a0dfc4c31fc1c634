import { type Content, element } from './markup.js';

/** A fifth of the shorter text is in both. */
const LEAST_COMMON = 5;

/**
 * Two texts with what differs between them marked: all between their common beginning and their common end. Texts with little in
 * common are not marked.
 */
export function differing(baseline: string, candidate: string): { baseline: Content; candidate: Content } {
  const most = Math.min(baseline.length, candidate.length);
  let start = 0;
  while (start < most && baseline[start] === candidate[start]) start += 1;
  let end = 0;
  while (end < most - start && baseline.at(-1 - end) === candidate.at(-1 - end)) end += 1;
  if (start + end < most / LEAST_COMMON) return { baseline, candidate };
  if (isWordAt(baseline, start) || isWordAt(candidate, start))
    while (start > 0 && isWordAt(baseline, start - 1)) start -= 1;
  const marked = (name: 'del' | 'ins', text: string): Content => {
    const middle = text.slice(start, text.length - end);
    return [
      text.slice(0, start),
      middle === '' ? [] : element(name, {}, middle),
      text.slice(text.length - end),
    ];
  };
  return { baseline: marked('del', baseline), candidate: marked('ins', candidate) };
}

/** A word that differs is marked as a whole. */
function isWordAt(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[at] ?? '');
}
