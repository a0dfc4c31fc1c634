import type { SectionVector } from '../sections.js';
import { codeLanguages, isForLanguage, normalizeLanguage } from './code-languages.js';
import { RankedIndex, type RankedSection, type SearchedSection } from './ranked-index.js';
import { VectorIndex } from './vector-index.js';

export interface SearchOptions {
  /** The query's vector, of length 1, to rank sections by meaning too. */
  vector?: Float32Array;
  /** Skips sections with code in other programming languages only. */
  language?: string;
}

interface SectionFacts {
  documentNo: number;
  contentHash: number;
  languages: readonly string[];
}

/**
 * The weight of words compared with meaning. In measurements with embedders of several qualities, this sum was better than reciprocal
 * rank fusion each time: it uses the distances between sections, and suffers less from a weak embedder.
 */
const WORDS_SHARE = 0.6;
/** Sections beyond this rank have no relation to the query. */
const NEAR_RANK = 100;

/** Extra candidates, since some sections have equal content. */
const SPARE = 20;

/** Searches one index by words, and by meaning if its sections have vectors. */
export class SearchIndex {
  private readonly words = new RankedIndex();
  private readonly vectors = new VectorIndex();
  private readonly sections = new Map<number, SectionFacts>();
  private readonly sectionsByDocument = new Map<number, number[]>();

  get bytes(): number {
    return this.words.bytes + this.vectors.bytes + this.sections.size * 100;
  }

  get waste(): number {
    return this.words.waste;
  }

  add(section: SearchedSection): void {
    const { section_no: sectionNo, document_no: documentNo, title, content } = section;
    this.words.add(section);
    const heading = title.split(' › ').at(-1) ?? '';
    this.sections.set(sectionNo, {
      documentNo,
      contentHash: hashText(`${heading} ${content}`),
      languages: codeLanguages(content),
    });
    const siblings = this.sectionsByDocument.get(documentNo);
    if (siblings) siblings.push(sectionNo);
    else this.sectionsByDocument.set(documentNo, [sectionNo]);
  }

  /** Skips the vector of a missing section. */
  addVector(made: SectionVector): void {
    if (this.sections.get(made.section_no)?.documentNo === made.document_no) this.vectors.set(made);
  }

  removeDocument(documentNo: number): void {
    this.words.removeDocument(documentNo);
    for (const sectionNo of this.sectionsByDocument.get(documentNo) ?? []) {
      this.sections.delete(sectionNo);
      this.vectors.delete(sectionNo);
    }
    this.sectionsByDocument.delete(documentNo);
  }

  /** Best first. Of sections with equal heading and content, only the best. */
  search(query: string, limit: number, { vector, language }: SearchOptions = {}): RankedSection[] {
    const accepts = language === undefined ? undefined : this.isFor(normalizeLanguage(language));
    for (let count = 2 * limit + SPARE; ; count *= 8) {
      const depth = vector === undefined ? count : Math.max(count, NEAR_RANK);
      const byWords = this.words.nearest(query, depth, accepts);
      const byMeaning = vector === undefined ? [] : this.vectors.nearest(vector, depth, accepts);
      const ranked = vector === undefined ? byWords : fuse(byWords, byMeaning);
      const best = new Map<number, RankedSection>();
      for (const section of ranked) {
        const hash = this.sections.get(section.section_no)?.contentHash ?? 0;
        if (!best.has(hash)) best.set(hash, section);
        if (best.size === limit) break;
      }
      if (best.size === limit || Math.max(byWords.length, byMeaning.length) < depth) {
        return [...best.values()];
      }
    }
  }

  private isFor(language: string): (sectionNo: number) => boolean {
    return (sectionNo) => isForLanguage(this.sections.get(sectionNo)?.languages ?? [], language);
  }
}

/** FNV-1a of the text without white space. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32) continue;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash;
}

/**
 * Merges two rankings by the weighted sum of their scores. Cosines are scaled to the range from 0 to 1 first, because some models yield
 * 0.7 to 0.9 and others 0 to 0.5.
 */
export function fuse(
  byWords: readonly RankedSection[],
  byMeaning: readonly RankedSection[],
): RankedSection[] {
  const scores = new Map(byWords.map(({ section_no, score }) => [section_no, WORDS_SHARE * score]));
  const max = byMeaning[0]?.score ?? 0;
  const min = byMeaning[Math.min(NEAR_RANK, byMeaning.length) - 1]?.score ?? 0;
  for (const { section_no, score } of byMeaning) {
    const nearness = max === min ? 1 : Math.max(0, (score - min) / (max - min));
    scores.set(section_no, (scores.get(section_no) ?? 0) + (1 - WORDS_SHARE) * nearness);
  }
  return Array.from(scores, ([section_no, score]) => ({ section_no, score })).sort(
    (left, right) => right.score - left.score || left.section_no - right.section_no,
  );
}
