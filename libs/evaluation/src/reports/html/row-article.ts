import { formatNumber, plural } from '../../gate/words.js';
import { describeAlike, type RowFacts } from '../row-facts.js';
import type { Row, RowKind } from '../rows.js';
import { itemName } from '../words.js';
import { differing } from './differing.js';
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
