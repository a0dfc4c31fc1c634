import type { SectionVector } from '../../storage/index-store.js';
import { codeLanguages, isForLanguage, languageNamed } from './code-languages.js';
import { fuse, NEAR_RANK } from './fuse.js';
import { RankedIndex, type RankedSection, type SearchedSection } from './ranked-index.js';
import { VectorIndex } from './vector-index.js';

export interface SearchOptions {
  /** Of the query, of length 1: sections are ranked by meaning too. */
  vector?: Float32Array;
  /** Sections with code only in other programming languages are skipped. */
  language?: string;
}

interface Known {
  documentNo: number;
  contentHash: number;
  languages: readonly string[];
}

/** Sections that are looked at beyond those asked for, since some may say the same. */
const SPARE = 20;

/** What is known of one index: its words, and the vectors of its sections where there are any. */
export class SearchIndex {
  private readonly words = new RankedIndex();
  private readonly vectors = new VectorIndex();
  private readonly sections = new Map<number, Known>();
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
      contentHash: hashOf(`${heading} ${content}`),
      languages: codeLanguages(content),
    });
    const siblings = this.sectionsByDocument.get(documentNo);
    if (siblings) siblings.push(sectionNo);
    else this.sectionsByDocument.set(documentNo, [sectionNo]);
  }

  /** One of a missing section is skipped. */
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

  /** The best first; of sections with the same heading and content only the best. */
  search(query: string, limit: number, { vector, language }: SearchOptions = {}): RankedSection[] {
    const accepts = language === undefined ? undefined : this.isFor(languageNamed(language));
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
      if (best.size === limit || Math.max(byWords.length, byMeaning.length) < depth)
        return [...best.values()];
    }
  }

  private isFor(language: string): (sectionNo: number) => boolean {
    return (sectionNo) => isForLanguage(this.sections.get(sectionNo)?.languages ?? [], language);
  }
}

/** FNV-1a over the text without its blanks. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32) continue;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash;
}
