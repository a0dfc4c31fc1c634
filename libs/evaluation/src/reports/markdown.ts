import { plural } from '../gate/words.js';
import {
  decisionOf,
  describeItem,
  errorOf,
  itemName,
  MEASURE_COLUMNS,
  measureRows,
  plain,
  regressionsOf,
  type ReportItem,
  type RunReport,
  SCORE_COLUMNS,
  scoreRows,
  tellRanLive,
  totalsOf,
} from './report.js';

export interface MarkdownOptions {
  /** Default: 60,000, which a comment on GitHub can hold. Less than 2,000 is taken for 2,000. */
  maxCharacters?: number;
  /** Whether values and messages are shown, and not only where they differ. Default: `true`. */
  showValues?: boolean;
}

const MOST_FAILURES = 10;
const MOST_SCORES = 20;
const MOST_DIFFERENCES = 10;
const MOST_CALLS = 5;
const LONGEST_CELL = 200;

/**
 * A run as a comment for a pull request: the decision first, then figures, then the items to look at, the gravest first, as
 * many as there is room for. Whatever the outputs hold, it makes no link, no mention and no markup.
 */
export function toMarkdown(
  report: RunReport,
  { maxCharacters = 60_000, showValues = true }: MarkdownOptions = {},
): string {
  const room = Math.max(2_000, maxCharacters);
  const ranLive = tellRanLive(report);
  const head = [
    `## ${decisionOf(report)}${report.title === undefined ? '' : `: ${escape(report.title)}`}`,
    ...lines(report.failures, 'more failure'),
    ...lines(
      (report.notes ?? []).map((note) => `Note: ${note}`),
      'more note',
    ),
    `${escape(totalsOf(report))}.${link(' The whole run', report.testRunUrl)}`,
    ...(ranLive === undefined ? [] : [`${escape(ranLive)}.`]),
    ...table(SCORE_COLUMNS, scoreRows(report).slice(0, MOST_SCORES)),
    ...table(MEASURE_COLUMNS, measureRows(report)),
  ].join('\n\n');
  const text = [head.length > room - 200 ? `${head.slice(0, room - 200)}…` : head];
  let left = room - 200 - head.length;
  const regressions = regressionsOf(report);
  let shown = 0;
  for (const item of regressions) {
    const section = itemSection(item, showValues);
    left -= section.length + 2;
    if (left < 0) break;
    if (shown === 0) text.push('### To look at');
    text.push(section);
    shown += 1;
  }
  const more = regressions.length - shown;
  if (more > 0) text.push(`${plural(more, 'more item', 'more items')} to look at.`);
  return `${text.join('\n\n')}\n`;
}

function lines(sentences: readonly string[], oneMore: string): string[] {
  if (sentences.length === 0) return [];
  const shown = sentences.slice(0, MOST_FAILURES).map((sentence) => `- ${escape(sentence)}`);
  const more = sentences.length - MOST_FAILURES;
  return [[...shown, ...(more > 0 ? [`- ${plural(more, oneMore, `${oneMore}s`)}`] : [])].join('\n')];
}

function itemSection(item: ReportItem, showValues: boolean): string {
  const error = errorOf(item);
  const lines = [
    `**${escape(itemName(item))}**: ${describeItem(item)}${link(' Look at it', item.url)}`,
    ...(error !== undefined && showValues ? [code(error)] : []),
    ...table(
      showValues ? ['Where', 'Before', 'Now'] : ['Where', 'What'],
      (item.diff ?? []).slice(0, MOST_DIFFERENCES).map(({ path, kind, before, now }) => {
        if (!showValues) return [code(path), kind];
        const side = (shown: typeof before): string =>
          shown === undefined ? '' : `${code(shown.text)}${kind === 'type' ? ` ${escape(shown.type)}` : ''}`;
        return [code(path), side(before), side(now)];
      }),
      (cell) => cell,
    ),
    ...item.divergences
      .slice(0, MOST_CALLS)
      .map(({ kind, path }) => `- ${kind.replaceAll('_', ' ')}: ${code(path.join(' → '))}`),
  ];
  const differences = (item.diff?.length ?? 0) - MOST_DIFFERENCES;
  if (differences > 0) lines.push(`${plural(differences, 'more difference', 'more differences')}.`);
  return lines.join('\n\n');
}

function table(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  cellOf: (text: string) => string = escape,
): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    [line(columns), line(columns.map(() => '---')), ...rows.map((row) => line(row.map(cellOf)))].join('\n'),
  ];
}

function link(text: string, url: string | undefined): string {
  if (url === undefined || !/^https?:\/\//.test(url)) return '';
  return `${text.startsWith(' ') ? ' ' : ''}[${text.trim()}](<${plain(url).replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** Text as a code span, in which nothing means anything; a table's bar apart. */
function code(text: string): string {
  const shown = plain(shorten(text));
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const padding = shown === '' || /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${padding}${shown.replaceAll('|', '\\|')}${padding}${fence}`;
}

/** Text that means nothing but itself: no markup, no mention, no reference to an issue, no link by itself. */
function escape(text: string): string {
  return plain(shorten(text, 500))
    .replace(/[\\`*_{}[\]()<>#+!|~&$]/g, '\\$&')
    .replace(/[@#]|:\/\/|www\.|\bGH-/gi, '$&\u200b');
}

function shorten(text: string, longest = LONGEST_CELL): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
