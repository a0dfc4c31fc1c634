import { isJsonObject, LIMITS, type JsonValue, type Snippet, type SpanRecord } from '@dacapo/protocol';
import { splitWords, withoutFiles } from './searched-words.js';
import type { TextQuery, TextTerm } from './text-query.js';

/** In order of preference: an error first, then what the call returned. */
const FIELDS = ['error', 'output', 'input', 'prompt'] as const;

/** UTF-16 code units of a snippet, and before its first match. */
const LENGTH = 200;
const LENGTH_BEFORE = 44;

const WORDS = /[\p{L}\p{N}\p{M}]+/gu;

interface Word {
  text: string;
  start: number;
  end: number;
}

type Mark = [start: number, end: number];

/**
 * A piece of the text that matches most terms of a query, with the matches marked. Among equal texts, the order is error, output,
 * input, prompt and name. `undefined` if no text matches.
 */
export function findSnippet(
  { name, span_data: data }: Pick<SpanRecord, 'name' | 'span_data'>,
  query: TextQuery,
): Snippet | undefined {
  let best: { field: Snippet['field']; text: string; marks: Mark[]; terms: number } | undefined;
  const consider = (field: Snippet['field'], text: string): boolean => {
    const words = locateWords(text);
    const found = query.map((term) => findTerm(words, term));
    const terms = found.filter((marks) => marks.length > 0).length;
    if (terms > (best?.terms ?? 0)) best = { field, text, marks: mergeMarks(found.flat()), terms };
    return terms === query.length;
  };
  const { error } = data;
  const isFound =
    (error !== undefined && consider('error', [error.name, error.message].filter(Boolean).join(': '))) ||
    FIELDS.some((field) =>
      textsIn(data[field] as JsonValue | undefined).some((text) => consider(field, text)),
    );
  if (!isFound) consider('name', name);
  return best && { field: best.field, ...cutAround(best.text, best.marks) };
}

/** The strings and numbers of a value that a search reads, without names of members and files in base64. */
function textsIn(value: JsonValue | undefined): string[] {
  const texts: string[] = [];
  const waiting: (JsonValue | undefined)[] = [value];
  let room: number = LIMITS.searchedCharacters;
  while (waiting.length > 0 && room > 0) {
    const next = waiting.pop();
    if (Array.isArray(next) || isJsonObject(next)) {
      const inside = Array.isArray(next) ? next : Object.values(next);
      for (let index = inside.length - 1; index >= 0; index--) waiting.push(inside[index]);
    } else if (typeof next === 'string' || typeof next === 'number') {
      const text = withoutFiles(String(next), Infinity).slice(0, room);
      texts.push(text);
      room -= text.length;
    }
  }
  return texts;
}

/** Words as they are compared, with their places in the text. A run of writing without spaces has one place. */
function locateWords(text: string): Word[] {
  return Array.from(text.matchAll(WORDS), ({ 0: found, index }) => {
    const words = splitWords(found);
    const isRun = words.length > 1 && words.join('').length === found.length;
    let start = index;
    return words.map((word) => {
      const place = isRun
        ? { start, end: (start += word.length) }
        : { start: index, end: index + found.length };
      return { text: word, ...place };
    });
  }).flat();
}

function findTerm(words: readonly Word[], { words: wanted, isPrefix }: TextTerm): Mark[] {
  const last = wanted.length - 1;
  const isMatch = (at: number): boolean =>
    wanted.every((word, index) => {
      const own = words[at + index]?.text;
      return index === last && isPrefix ? own?.startsWith(word) === true : own === word;
    });
  return words.flatMap(({ start }, at): Mark[] => {
    const end = words[at + last]?.end;
    return end !== undefined && isMatch(at) ? [[start, end]] : [];
  });
}

/** Sorts marks and joins those that overlap. */
function mergeMarks(marks: readonly Mark[]): Mark[] {
  const merged: Mark[] = [];
  for (const [start, end] of marks.toSorted((left, right) => left[0] - right[0])) {
    const before = merged.at(-1);
    if (before !== undefined && start < before[1]) before[1] = Math.max(before[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Cuts at words, and puts everything on one line. */
function cutAround(text: string, marks: readonly Mark[]): { text: string; marks: number[][] } {
  const first = marks[0]?.[0] ?? 0;
  let start = Math.max(0, first - LENGTH_BEFORE);
  if (start > 0) start += (/^\S*\s+/.exec(text.slice(start, first))?.[0] ?? '').length;
  if (isInsidePair(text, start)) start += 1;
  let end = Math.min(text.length, start + LENGTH);
  if (isInsidePair(text, end)) end -= 1;
  const before = start > 0 ? '…' : '';
  const shift = before.length - start;
  return {
    text: `${before}${text.slice(start, end).replace(/\s/g, ' ')}${end < text.length ? '…' : ''}`,
    marks: marks
      .filter(([from]) => from < end)
      .map(([from, until]) => [from + shift, Math.min(until, end) + shift]),
  };
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}
