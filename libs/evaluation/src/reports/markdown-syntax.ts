import { plain, shorten } from './words.js';

const LONGEST_CELL = 200;

/** @param rows cells that are escaped already */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const used = columns.flatMap((_, at) => (rows.some((row) => (row[at] ?? '') !== '') ? [at] : []));
  const line = (cells: readonly string[]): string => `| ${used.map((at) => cells[at] ?? '').join(' | ')} |`;
  return [[line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')];
}

/** Nothing where the address is none of the web. */
export function link(text: string, url: string | undefined): string {
  if (url === undefined || !/^https?:\/\//.test(url)) return '';
  return `${text.startsWith(' ') ? ' ' : ''}[${text.trim()}](<${plain(url).replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** Text as a code span, in which nothing means anything; a table's bar apart. */
export function code(text: string, longest = LONGEST_CELL): string {
  const shown = plain(shorten(text, longest));
  const run = (shown.match(/`+/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 0);
  const fence = '`'.repeat(run + 1);
  const padding = shown === '' || /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${padding}${shown.replaceAll('|', '\\|')}${padding}${fence}`;
}

/** Text that means nothing but itself: no markup, no mention, no reference to an issue, no link by itself. */
export function escape(text: string): string {
  return plain(shorten(text, 500))
    .replace(/[\\`*_{}[\]()<>#+!|~&$]/g, '\\$&')
    .replace(/[@#]|:\/\/|www\.|\bGH-/gi, '$&\u200b');
}
