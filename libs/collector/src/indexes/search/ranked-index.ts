import { letterMask } from './closest-terms.js';
import { PostingList } from './posting-list.js';
import { type QueryTerms, queryTerms } from './query-terms.js';
import { type Token, tokensOf, wordsOf } from './tokenize.js';

/** What is searched of a section. */
export interface SearchedSection {
  section_no: number;
  document_no: number;
  /** The document's title and the headings down to its own, joined by ` › `. */
  title: string;
  source: string;
  content: string;
}

export interface RankedSection {
  section_no: number;
  /** The share of what a perfect section would have, so that those of several indexes compare. */
  score: number;
}

interface Entry {
  sectionNo: number;
  terms: Int32Array;
  length: number;
}

/** BM25: how soon a repeated word says nothing new, and how far a long section is held against it. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.6;
/** How much more a word says in the section's own heading, and in what is above it: headings, title, address. */
const HEADING_WEIGHT = 4;
const PATH_WEIGHT = 1.6;
/** What a section keeps of its score that has hardly any of the words. */
const KEPT_WITHOUT_COVERAGE = 0.35;

/** Words whose terms are kept: most words of a text were in the text before. */
const MOST_KEPT_WORDS = 30_000;

/**
 * The words of one index, in memory: BM25 over three fields, by the statistics of this index alone. What is removed leaves no
 * trace in the ranking.
 */
export class RankedIndex {
  private readonly numbers = new Map<string, number>();
  private readonly words = new Map<string, { terms: number[]; length: number }>();
  private readonly terms: string[] = [];
  /** While a section is added: the terms that it has, and of every term how often it has it. */
  private readonly counted: number[] = [];
  private readonly counts: number[] = [];
  private readonly postings: PostingList[] = [];
  private readonly masks: number[] = [];
  private readonly entries: (Entry | undefined)[] = [];
  private readonly slotsByDocument = new Map<number, number[]>();
  private totalLength = 0;
  private sectionCount = 0;
  private postingCount = 0;

  /** About how much memory it takes. */
  get bytes(): number {
    return this.postingCount * 16 + this.terms.length * 160 + this.entries.length * 120;
  }

  /** Of the sections it was given, the share that was removed: they take memory still. */
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
    this.entries.push({
      sectionNo: section.section_no,
      terms,
      length,
    });
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

  /** The best so many sections that have one of the query's words, in order. A query without words finds nothing. */
  nearest(query: string, count: number, accepts?: (sectionNo: number) => boolean): RankedSection[] {
    const terms = queryTerms(query, {
      numberOf: (term) => this.numberOf(term),
      terms: this.terms,
      masks: this.masks,
      frequency: (term) => this.postings[term]?.alive ?? 0,
    });
    const { scores, touched } = this.scored(terms, accepts);
    const least = leastOfBest(scores, touched, count);
    return touched
      .flatMap((slot) => {
        const entry = this.entries[slot];
        const score = scores[slot] ?? 0;
        return entry !== undefined && score >= least ? [{ section_no: entry.sectionNo, score }] : [];
      })
      .sort((left, right) => right.score - left.score || left.section_no - right.section_no)
      .slice(0, count);
  }

  private scored(
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
      const kept = KEPT_WITHOUT_COVERAGE + ((1 - KEPT_WITHOUT_COVERAGE) * covered) / known;
      scores[slot] = ((scores[slot] ?? 0) * kept) / ideal;
    }
    return { scores, touched };
  }

  /** @returns how many words the text has */
  private countTerms(text: string, field: number): number {
    let length = 0;
    for (const word of wordsOf(text)) {
      const known = this.words.get(word) ?? this.learn(word);
      for (const term of known.terms) {
        const packed = this.counts[term] ?? 0;
        if (packed === 0) this.counted.push(term);
        this.counts[term] = PostingList.countedOnce(packed, field);
      }
      length += known.length;
    }
    return length;
  }

  private learn(word: string): { terms: number[]; length: number } {
    const tokens = tokensOf(word);
    const terms = tokens.flatMap(termsOf).map((term) => this.numberOf(term) ?? this.newNumber(term));
    const learnt = { terms, length: tokens.reduce((sum, { parts }) => sum + parts.length, 0) };
    if (this.words.size === MOST_KEPT_WORDS) this.words.clear();
    this.words.set(word, learnt);
    return learnt;
  }

  private numberOf(term: string): number | undefined {
    return this.numbers.get(term);
  }

  private newNumber(term: string): number {
    const number = this.terms.push(term) - 1;
    this.numbers.set(term, number);
    this.postings.push(new PostingList());
    this.counts.push(0);
    this.masks.push(letterMask(term));
    return number;
  }
}

/** The score that a section must have to be among the best so many: sorting numbers is far cheaper than sorting sections. */
function leastOfBest(scores: Float64Array, slots: readonly number[], count: number): number {
  if (slots.length <= count) return 0;
  const sorted = Float64Array.from(slots, (slot) => scores[slot] ?? 0).sort();
  return sorted[sorted.length - count] ?? 0;
}

/** A name is found as a whole and by its parts; a plain word by its stem. */
function termsOf({ whole, parts, isCompound }: Token): readonly string[] {
  return isCompound ? [whole, ...parts] : parts;
}
