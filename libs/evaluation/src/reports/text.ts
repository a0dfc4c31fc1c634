import {
  decisionOf,
  describeItem,
  errorOf,
  itemName,
  MEASURE_COLUMNS,
  measureRows,
  plain,
  tellRanLive,
  type ReportItem,
  regressionsOf,
  type RunReport,
  SCORE_COLUMNS,
  scoreRows,
  totalsOf,
} from './report.js';

export interface TextOptions {
  /** How many items to look at are listed. Default: 10. */
  maxItems?: number;
}

const LONGEST_CELL = 60;

/** A run as plain text for a terminal: the decision first, then figures in columns, then the items to look at. */
export function toText(report: RunReport, { maxItems = 10 }: TextOptions = {}): string {
  const { title, failures, notes = [], testRunUrl = '' } = report;
  const regressions = regressionsOf(report);
  const shown = regressions.slice(0, maxItems);
  const more = regressions.length - shown.length;
  const ranLive = tellRanLive(report);
  const blocks = [
    [
      `${decisionOf(report)}${title === undefined ? '' : `: ${plain(title)}`}`,
      ...failures.map((line) => `- ${plain(line)}`),
      ...notes.map((line) => `  Note: ${plain(line)}`),
    ],
    [plain(totalsOf(report))],
    columns([SCORE_COLUMNS, ...scoreRows(report)]),
    columns([MEASURE_COLUMNS, ...measureRows(report)]),
    columns(
      [
        ['To look at', '', ''],
        ...shown.map((item) => [itemName(item), describeItem(item), explainItem(item)]),
      ],
      { hasIds: true },
    ),
    [...(more > 0 ? [`and ${more} more`] : []), ...(testRunUrl === '' ? [] : [plain(testRunUrl)])],
    ranLive === undefined ? [] : [plain(ranLive)],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** The first difference, and the error. Where the errors themselves differ, the error says it. */
function explainItem(item: ReportItem): string {
  const error = errorOf(item);
  const [first] = item.diff ?? [];
  if (first === undefined || (error !== undefined && first.path.startsWith('$error'))) return error ?? '';
  const difference = `${first.path}: ${first.before?.text ?? 'nothing'} → ${first.now?.text ?? 'nothing'}`;
  return error === undefined ? difference : `${difference}; ${error}`;
}

/**
 * Aligned; of a heading alone nothing, and without columns that are empty.
 *
 * @param options `hasIds`: the first column is whole, however long, so that its ids can be copied
 */
function columns(rows: readonly (readonly string[])[], { hasIds = false } = {}): string[] {
  const [heading = [], ...body] = rows.map((row) =>
    row.map((text, at) => (hasIds && at === 0 ? plain(text) : cell(text))),
  );
  if (body.length === 0) return [];
  const used = heading.flatMap((_, at) => (body.some((row) => row[at] !== '') ? [at] : []));
  const widths = used.map((at) => Math.max(...[heading, ...body].map((row) => row[at]?.length ?? 0)));
  return [heading, ...body].map((row) =>
    used
      .map((at, index) => (row[at] ?? '').padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function cell(text: string): string {
  const shown = plain(text);
  return shown.length <= LONGEST_CELL ? shown : `${shown.slice(0, LONGEST_CELL - 1)}…`;
}
