/** One table of all figures, with goals. */

/** Goals for the 95th percentile of a read, in ms. */
const LIST_MS: Readonly<Record<string, number>> = { sqlite: 50, postgres: 50, clickhouse: 300 };
const METRICS_MS = 300;
const MOST_CPU_RATIO = 1.1;

export const METRICS_READ = 'metrics of a month, keys by the day';

/** CPU is in µs a span. */
interface IngestFigures {
  spans: number;
  perSecond: number;
  collectors: number;
  server: number;
  sender: number;
  diskMb: number;
}

type ByEngine<T> = Readonly<Partial<Record<string, T>>>;

export interface Figures {
  /** In the order of their columns. */
  engines: readonly string[];
  ingest: ByEngine<IngestFigures>;
  /** By read. In ms. */
  reads: Readonly<Record<string, ByEngine<{ p50: number; p95: number }>>>;
  /** CPU a span of two collectors on PostgreSQL, divided by that of one. */
  cpuRatio: number | undefined;
}

interface Row {
  name: string;
  cells: string[];
  goal: string;
  /** Empty without a goal. */
  result: string;
}

/** The rows of the table. A goal without a figure is missed, except for engines that were not asked for. */
export function buildReport({ engines, ingest, reads, cpuRatio = NaN }: Figures): Row[] {
  const row = (name: string, show: (engine: string) => string, goal = '', missed?: string[]): Row => {
    const result = missed === undefined ? '' : missed.length === 0 ? 'met' : `missed: ${missed.join(', ')}`;
    return { name, cells: engines.map(show), goal, result };
  };
  const figure = (field: keyof IngestFigures) => (engine: string) => format(ingest[engine]?.[field], 0);
  const isCompared = engines.includes('sqlite') && engines.includes('postgres');
  const isFast = (ingest['postgres']?.perSecond ?? NaN) >= (ingest['sqlite']?.perSecond ?? NaN);
  const rows = [
    row('spans', figure('spans')),
    isCompared
      ? row('ingest, spans/s', figure('perSecond'), 'PostgreSQL ≥ SQLite', isFast ? [] : ['postgres'])
      : row('ingest, spans/s', figure('perSecond')),
    row('CPU of collectors, µs a span', figure('collectors')),
    row('CPU of the database server, µs a span', figure('server')),
    row('CPU of the sender, µs a span', figure('sender')),
    row('disk, MB', figure('diskMb')),
  ];
  if (engines.includes('postgres')) {
    const show = (engine: string): string => (engine === 'postgres' ? format(cpuRatio, 2) : '-');
    const missed = cpuRatio <= MOST_CPU_RATIO ? [] : ['postgres'];
    rows.push(row('CPU a span, two collectors ÷ one', show, `≤ ${MOST_CPU_RATIO}`, missed));
  }
  for (const [read, taken] of Object.entries(reads)) {
    const goalOf = (engine: string): number => (read === METRICS_READ ? METRICS_MS : (LIST_MS[engine] ?? 0));
    const missed = engines.filter((engine) => !((taken[engine]?.p95 ?? NaN) < goalOf(engine)));
    const show = (engine: string): string =>
      `${format(taken[engine]?.p50, 1)} / ${format(taken[engine]?.p95, 1)}`;
    const goal = `p95 < ${[...new Set(engines.map(goalOf))].join(', ')}`;
    rows.push(row(`${read}, p50 / p95 ms`, show, goal, missed));
  }
  return rows;
}

export function toMarkdown(engines: readonly string[], rows: readonly Row[]): string {
  const lines = [
    ['', ...engines, 'goal', ''],
    ['---', ...engines.map(() => '---:'), '---', '---'],
    ...rows.map(({ name, cells, goal, result }) => [name, ...cells, goal, result]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function format(number: number | undefined, digits: number): string {
  return number === undefined || Number.isNaN(number)
    ? '-'
    : number.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
