import type { RankedSection } from './ranked-index.js';

/**
 * How much words count beside meaning. Measured beside reciprocal rank fusion with embedders of several qualities: this sum is ahead
 * of it with each, since it knows by how much a section is nearer than the next, and a weak embedder harms it less.
 */
const WORDS_SHARE = 0.6;
/** What is nearer than the section of this rank has to do with the query. */
export const NEAR_RANK = 100;

/**
 * Two rankings as one: the weighted sum of both scores. Cosines of one model lie between 0.7 and 0.9, those of another between 0 and 0.5: they
 * are stretched, from 0 for what is far to 1 for the nearest.
 */
export function fuse(
  byWords: readonly RankedSection[],
  byMeaning: readonly RankedSection[],
): RankedSection[] {
  const scores = new Map(byWords.map(({ section_no, score }) => [section_no, WORDS_SHARE * score]));
  const most = byMeaning[0]?.score ?? 0;
  const least = byMeaning[Math.min(NEAR_RANK, byMeaning.length) - 1]?.score ?? 0;
  for (const { section_no, score } of byMeaning) {
    const nearness = most === least ? 1 : Math.max(0, (score - least) / (most - least));
    scores.set(section_no, (scores.get(section_no) ?? 0) + (1 - WORDS_SHARE) * nearness);
  }
  return Array.from(scores, ([section_no, score]) => ({ section_no, score })).sort(
    (left, right) => right.score - left.score || left.section_no - right.section_no,
  );
}
