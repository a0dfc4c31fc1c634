import { letterMask } from './closest-terms.js';
import { PostingList } from './posting-list.js';
import { type QueryTerms, queryTerms } from './query-terms.js';
import { type Token, tokenizeWord, splitWords } from './tokenize.js';

export interface SearchedSection {
  section_no: number;
  document_no: number;
  /** The document's title, the headings above, and the section's heading, joined by ` › `. */
  title: string;
  source: string;
  content: string;
}

export interface RankedSection {
  section_no: number;
  /** Relative to a perfect section, so that scores of several indexes compare. */
  score: number;
}

interface Entry {
  sectionNo: number;
  terms: Int32Array;
  length: number;
}

/** BM25: the saturation of repeated words, and the penalty for long sections. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.6;
/** Weights of a word in the section's heading, and in the headings above, the title and the address. */
const HEADING_WEIGHT = 4;
const PATH_WEIGHT = 1.6;
/** The score of a section with few of the query's words is reduced to this share. */
const MIN_COVERAGE_FACTOR = 0.35;

/** Most words of a text were in the texts before. */
const MAX_CACHED_WORDS = 30_000;

/**
 * The words of one index in memory: BM25 over three fields, with the statistics of this index. Removed documents do not affect the
 * ranking.
 */
export class RankedIndex {
  private readonly termNumbers = new Map<string, number>();
  private readonly words = new Map<string, { terms: number[]; length: number }>();
  private readonly terms: string[] = [];
  /** While a section is added: its terms, and the packed count of each term. */
  private readonly counted: number[] = [];
  private readonly counts: number[] = [];
  private readonly postings: PostingList[] = [];
  private readonly masks: number[] = [];
  private readonly entries: (Entry | undefined)[] = [];
  private readonly slotsByDocument = new Map<number, number[]>();
  private totalLength = 0;
  private sectionCount = 0;
  private postingCount = 0;

  /** Estimated memory. */
  get bytes(): number {
    return this.postingCount * 16 + this.terms.length * 160 + this.entries.length * 120;
  }

  /** The share of removed sections. They still take memory. */
  get waste(): number {
    return this.entries.length === 0 ? 0 : 1 - this.sectionCount / this.entries.length;
  }

  add(section: SearchedSection): void {
    const above = section.title.split(' › ');
    const heading = above.pop() ?? '';
    const length = this.countTerms(section.content, PostingList.inBody);
    this.countTerms(heading, PostingList.inHeading);
    this.countTerms(`${above.join(' ')} ${section.source.replace(/\.\w+$/, '')}`, PostingList.inPath);

    const slot = this.entries.length;
    const terms = Int32Array.from(this.counted);
    for (const term of terms) {
      this.postings[term]?.push(slot, this.counts[term] ?? 0);
      this.counts[term] = 0;
    }
    this.counted.length = 0;
    this.postingCount += terms.length;
    this.entries.push({ sectionNo: section.section_no, terms, length });
    const slots = this.slotsByDocument.get(section.document_no);
    if (slots) slots.push(slot);
    else this.slotsByDocument.set(section.document_no, [slot]);
    this.totalLength += length;
    this.sectionCount++;
  }

  removeDocument(documentNo: number): void {
    for (const slot of this.slotsByDocument.get(documentNo) ?? []) {
      const entry = this.entries[slot];
      if (entry === undefined) continue;
      for (const term of entry.terms) this.postings[term]?.remove();
      this.totalLength -= entry.length;
      this.sectionCount--;
      this.entries[slot] = undefined;
    }
    this.slotsByDocument.delete(documentNo);
  }

  /** Returns the best `count` sections with a word of the query, best first. */
  nearest(query: string, count: number, accepts?: (sectionNo: number) => boolean): RankedSection[] {
    const terms = queryTerms(query, {
      findTerm: (term) => this.findTerm(term),
      terms: this.terms,
      masks: this.masks,
      frequency: (term) => this.postings[term]?.alive ?? 0,
    });
    const { scores, touched } = this.score(terms, accepts);
    const minScore = findMinScore(scores, touched, count);
    return touched
      .flatMap((slot) => {
        const entry = this.entries[slot];
        const score = scores[slot] ?? 0;
        return entry !== undefined && score >= minScore ? [{ section_no: entry.sectionNo, score }] : [];
      })
      .sort((left, right) => right.score - left.score || left.section_no - right.section_no)
      .slice(0, count);
  }

  private score(
    query: QueryTerms,
    accepts?: (sectionNo: number) => boolean,
  ): { scores: Float64Array; touched: number[] } {
    const scores = new Float64Array(this.entries.length);
    const groups = new Int32Array(this.entries.length);
    const touched: number[] = [];
    const importance: number[] = [];
    const averageLength = Math.max(1, this.totalLength / Math.max(1, this.sectionCount));

    for (const { term, weight, group } of query.terms) {
      const list = this.postings[term];
      if (list === undefined) continue;
      const rarity = Math.log(1 + (this.sectionCount - list.alive + 0.5) / (list.alive + 0.5));
      importance[group] = Math.max(importance[group] ?? 0, rarity * weight);
      list.forEach((slot, packed) => {
        const entry = this.entries[slot];
        if (entry === undefined || accepts?.(entry.sectionNo) === false) return;
        const lengthNorm = 1 - LENGTH_SHARE + (LENGTH_SHARE * entry.length) / averageLength;
        const frequency =
          PostingList.countIn(packed, PostingList.inBody) / lengthNorm +
          PostingList.countIn(packed, PostingList.inHeading) * HEADING_WEIGHT +
          PostingList.countIn(packed, PostingList.inPath) * PATH_WEIGHT;
        if (groups[slot] === 0) touched.push(slot);
        scores[slot] = (scores[slot] ?? 0) + (weight * rarity * frequency) / (frequency + SATURATION);
        groups[slot] = (groups[slot] ?? 0) | (1 << group);
      });
    }

    const known = importance.reduce((sum, one) => sum + one, 0);
    const ideal = known + query.unknownWords * Math.log(1 + this.sectionCount);
    for (const slot of touched) {
      const matched = groups[slot] ?? 0;
      let covered = 0;
      for (let group = 0; group < importance.length; group++) {
        if ((matched >> group) & 1) covered += importance[group] ?? 0;
      }
      const factor = MIN_COVERAGE_FACTOR + ((1 - MIN_COVERAGE_FACTOR) * covered) / known;
      scores[slot] = ((scores[slot] ?? 0) * factor) / ideal;
    }
    return { scores, touched };
  }

  /** @returns the number of words in the text */
  private countTerms(text: string, field: number): number {
    let length = 0;
    for (const word of splitWords(text)) {
      const known = this.words.get(word) ?? this.learn(word);
      for (const term of known.terms) {
        const packed = this.counts[term] ?? 0;
        if (packed === 0) this.counted.push(term);
        this.counts[term] = PostingList.increment(packed, field);
      }
      length += known.length;
    }
    return length;
  }

  private learn(word: string): { terms: number[]; length: number } {
    const tokens = tokenizeWord(word);
    const terms = tokens.flatMap(toTerms).map((term) => this.findTerm(term) ?? this.addTerm(term));
    const learned = { terms, length: tokens.reduce((sum, { parts }) => sum + parts.length, 0) };
    if (this.words.size === MAX_CACHED_WORDS) this.words.clear();
    this.words.set(word, learned);
    return learned;
  }

  private findTerm(term: string): number | undefined {
    return this.termNumbers.get(term);
  }

  private addTerm(term: string): number {
    const number = this.terms.push(term) - 1;
    this.termNumbers.set(term, number);
    this.postings.push(new PostingList());
    this.counts.push(0);
    this.masks.push(letterMask(term));
    return number;
  }
}

/** The score of the last section among the best `count`. Sorting numbers is far cheaper than sorting sections. */
function findMinScore(scores: Float64Array, slots: readonly number[], count: number): number {
  if (slots.length <= count) return 0;
  const sorted = Float64Array.from(slots, (slot) => scores[slot] ?? 0).sort();
  return sorted[sorted.length - count] ?? 0;
}

/** A name is found as a whole and by its parts, a plain word by its stem. */
function toTerms({ whole, parts, isCompound }: Token): readonly string[] {
  return isCompound ? [whole, ...parts] : parts;
}
