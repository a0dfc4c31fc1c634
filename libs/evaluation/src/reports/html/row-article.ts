import { formatNumber, plural } from '../../gate/words.js';
import { describeAlike, type RowFacts } from '../row-facts.js';
import type { Row, RowKind } from '../rows.js';
import { itemName } from '../words.js';
import { type Content, element, type Markup, webLink } from './markup.js';

/** Names listed of items that changed in the same way. */
const MOST_ALIKE = 50;

/** Formats one row: the item, what changed, values of both sides, scores and calls. */
export function rowArticle(facts: RowFacts, kind: RowKind): Markup {
  const { input, duration, scores, calls } = facts;
  const alike = describeAlike(facts, MOST_ALIKE);
  const details: Content[] = [
    ...scores.map(({ name, values, why }) =>
      fact(name, [values, why === '' ? [] : element('div', { class: 'soft' }, why)]),
    ),
    ...(calls.length === 0 ? [] : [fact('Calls inside', callList(facts))]),
    ...(duration === undefined ? [] : [fact('Duration', duration)]),
  ];
  const count = facts.alike.length + 1;
  return element(
    'article',
    { class: `row ${kind}` },
    element(
      'header',
      {},
      element('h3', {}, facts.name),
      element('span', { class: 'tag' }, facts.description),
      ...(count > 1 ? [element('span', { class: 'soft' }, `and ${count - 1} more like this one`)] : []),
      webLink('Open the trace', facts.url),
    ),
    input === undefined ? [] : element('dl', { class: 'facts' }, fact('Input', element('pre', {}, input))),
    sidesSection(facts),
    differencesTable(facts),
    details.length > 0 ? element('dl', { class: 'facts' }, ...details) : [],
    alike === undefined
      ? []
      : element(
          'details',
          {},
          element('summary', { class: 'soft' }, plural(facts.alike.length, 'more call', 'more calls')),
          element('p', { class: 'soft' }, alike),
        ),
  );
}

function sidesSection({ baseline, candidate }: RowFacts): Content {
  if (baseline === undefined && candidate === undefined) return [];
  const side = (name: string, content: Content): Markup =>
    element('div', { class: 'side' }, element('b', {}, name), element('pre', {}, content));
  const marked =
    baseline === undefined || candidate === undefined
      ? { baseline: baseline ?? '', candidate: candidate ?? '' }
      : differing(baseline, candidate);
  return element(
    'div',
    { class: 'sides' },
    baseline === undefined ? [] : side('Baseline', marked.baseline),
    candidate === undefined ? [] : side('Candidate', marked.candidate),
  );
}

function differencesTable({ differences, moreDifferences }: RowFacts): Content {
  if (differences.length === 0) return [];
  const cell = (content: Content): Markup => element('td', {}, element('pre', {}, content));
  const showsValues = differences.some(
    ({ baseline, candidate }) => baseline !== undefined || candidate !== undefined,
  );
  const heading = showsValues ? ['Where', 'Baseline', 'Candidate'] : ['Where', 'What'];
  const lines = differences.map(({ path, kind, baseline, candidate }) => {
    if (!showsValues) return element('tr', {}, cell(path), cell(kind));
    const both =
      baseline === undefined || candidate === undefined
        ? { baseline: baseline ?? 'nothing', candidate: candidate ?? 'nothing' }
        : differing(baseline, candidate);
    return element('tr', {}, cell(path), cell(both.baseline), cell(both.candidate));
  });
  return [
    element(
      'div',
      { class: 'scroll' },
      element('table', {}, element('tr', {}, ...heading.map((text) => element('th', {}, text))), ...lines),
    ),
    moreDifferences > 0
      ? element('p', { class: 'soft' }, `${plural(moreDifferences, 'more difference', 'more differences')}.`)
      : [],
  ];
}

function callList({ calls, moreCalls }: RowFacts): Content {
  return [
    ...calls.map((call) => element('div', {}, call)),
    ...(moreCalls > 0 ? [element('div', {}, plural(moreCalls, 'more call', 'more calls'))] : []),
  ];
}

function fact(name: string, content: Content): Content {
  return [element('dt', {}, name), element('dd', {}, content)];
}

/** A collapsed list of unchanged items. */
export function unchangedTable(rows: readonly Row[], items: number): Content {
  const listed = rows.flatMap((row) => row.items);
  const more = items - listed.length;
  const lines = listed.map((item) =>
    element(
      'tr',
      {},
      element('td', {}, itemName(item)),
      element('td', {}, item.durationMs === undefined ? '' : `${formatNumber(item.durationMs)} ms`),
    ),
  );
  return [
    ...(lines.length > 0
      ? [element('details', {}, element('summary', {}, 'List'), element('table', {}, ...lines))]
      : []),
    ...(more > 0
      ? [element('p', { class: 'soft' }, `${plural(more, 'item', 'items')} without a list.`)]
      : []),
  ];
}

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
