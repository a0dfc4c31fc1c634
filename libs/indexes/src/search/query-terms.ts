import { closestTerms } from './closest-terms.js';
import { type Token, tokenize } from './tokenize.js';

/** Terms of one group are alternatives of one query word. */
interface QueryTerm {
  term: number;
  weight: number;
  /** From 0 to 30. */
  group: number;
}

export interface Vocabulary {
  findTerm: (term: string) => number | undefined;
  terms: readonly string[];
  masks: readonly number[];
  /** The number of sections with the term. */
  frequency: (term: number) => number;
}

/** More words hardly change the ranking. Groups are bits of a 32-bit number. */
const MAX_WORDS = 31;
/** So many neighbouring words may be one name in a document: `disable net connect`. */
const MAX_JOINED_WORDS = 4;

const WEIGHT = { word: 1, name: 1.3, partOfName: 0.5, joined: 1.1, filler: 0.12 } as const;

/** Words without meaning for the search. */
const FILLERS = new Set(
  (
    'a an and any are as at be been but by can could did do does doing done for from get gets getting give given got had has have having he her how i if in ' +
    'into is it its just like make makes making may me might must my need needs no not of on one or our out please she should so some such than that the their ' +
    'them then there these they this those to too use used uses using via want wants was we were what when where whether which while who whose why will with ' +
    'would you your happens something anything possible way work works tell show'
  ).split(' '),
);

export interface QueryTerms {
  terms: QueryTerm[];
  /** Words that neither are in the vocabulary nor resemble a term. */
  unknownWords: number;
}

/** Finds the terms of a query in the vocabulary, and similar terms for unknown words. */
export function queryTerms(query: string, vocabulary: Vocabulary): QueryTerms {
  const tokens = tokenize(query.slice(0, 10_000));
  const areAllFillers = tokens.every(({ whole }) => FILLERS.has(whole));
  const terms: QueryTerm[] = [];
  const seen = new Set<string>();
  let group = 0;
  let unknownWords = 0;

  const take = (text: string, weight: number): boolean => {
    const term = vocabulary.findTerm(text);
    if (term === undefined || vocabulary.frequency(term) === 0) return false;
    terms.push({ term, weight, group });
    return true;
  };
  for (const [at, token] of tokens.entries()) {
    if (group === MAX_WORDS) break;
    if (seen.has(token.whole)) continue;
    seen.add(token.whole);
    const before = terms.length;
    const isFiller = FILLERS.has(token.whole) && !areAllFillers;
    if (token.isCompound) takeName(token);
    else takeWord(token, isFiller ? WEIGHT.filler : WEIGHT.word, isFiller);
    for (let count = 2; count <= MAX_JOINED_WORDS && at + count <= tokens.length; count++) {
      const joined = tokens.slice(at, at + count);
      if (joined.every(({ whole }) => FILLERS.has(whole))) continue;
      take(joined.map(({ whole }) => whole).join(''), WEIGHT.joined);
    }
    if (terms.length === before && !isFiller) unknownWords++;
    group++;
  }
  return { terms, unknownWords };

  function takeName({ whole, parts }: Token): void {
    const isKnown = take(whole, WEIGHT.name);
    const known = parts.filter((part) => take(part, isKnown ? WEIGHT.partOfName : WEIGHT.word));
    if (!isKnown && known.length < parts.length) takeClosest(whole, WEIGHT.name);
  }

  function takeWord({ whole, parts }: Token, weight: number, isFiller: boolean): void {
    const stemmed = parts.filter((part) => take(part, weight));
    const isName = !parts.includes(whole) && take(whole, weight);
    if (stemmed.length === 0 && !isName && !isFiller) takeClosest(parts[0] ?? whole, weight);
  }

  function takeClosest(word: string, weight: number): void {
    const closest = closestTerms(word, vocabulary.terms, vocabulary.masks, vocabulary.frequency);
    for (const { term, certainty } of closest) terms.push({ term, weight: weight * certainty, group });
  }
}
