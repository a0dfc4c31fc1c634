import { formatTimestamp, isTimeSort, parseTimestamp, type TraceSort } from '@dacapo/protocol';
import type { ListedTrace, Range, TraceList, TracePosition } from '../../../ports/span-store.js';
import type { TraceFilter } from '../../../ports/trace-filter.js';
import type { Reader } from '../connection.js';
import { toTraceSummary, TRACE_COLUMNS, type TraceRow } from '../../../spans/rows.js';
import { JOIN_ROOT } from './read-traces.js';
import { searchAlong, type SizedEntry } from './search-along.js';
import { TextSearch } from './text-search.js';
import { type TestedCondition, traceConditions } from './trace-conditions.js';
import {
  joinConditions,
  behind,
  type Condition,
  walkConditions,
  indexedTable,
  type Entry,
  TABLES,
  inOrder,
  upTo,
  type Walk,
} from './trace-walk.js';

export interface ListBounds {
  /** If a condition finds at most this many traces, they are looked up and sorted. Otherwise traces are read in the order of the list. */
  few: number;
  /** Up to this many spans with a text, their traces are read from the index. */
  hits: number;
  /** The maximum of traces that one page reads. */
  lookedThrough: number;
  /** The same for lists sorted by an amount, whose neighbours are far apart in all other tables. */
  lookedThroughByAmount: number;
}

export const LIST_BOUNDS: ListBounds = {
  few: 500,
  hits: 2_000,
  lookedThrough: 1_000,
  lookedThroughByAmount: 500,
};

/** How a list finds its traces. */
interface Listing {
  walk: Walk;
  tested: readonly TestedCondition[];
  /** Finds all candidates, if these are few. */
  few?: Condition;
}

export async function listTraces(
  database: Reader,
  accountId: string,
  filter: TraceFilter,
  { limit, after }: Range<TracePosition>,
  sort: TraceSort,
  bounds: ListBounds = LIST_BOUNDS,
): Promise<TraceList> {
  const { walk: whole, tested } = traceConditions(accountId, filter, sort);
  const isByTime = isTimeSort(sort);
  const lookedThrough = isByTime ? bounds.lookedThrough : bounds.lookedThroughByAmount;
  const toPosition = ({ sorted_by: by, trace_id: id }: Entry): TracePosition => [
    isByTime ? formatTimestamp(by) : by,
    id,
  ];
  const place = after && {
    sorted_by: isByTime ? (parseTimestamp(String(after[0])) ?? 0) : Number(after[0]),
    trace_id: after[1],
  };
  const toListed = (row: TraceRow & Entry): ListedTrace => ({
    trace: toTraceSummary(row),
    ...(row.root_span_id !== null && { rootSpanId: row.root_span_id }),
    position: toPosition(row),
  });

  const { text = [] } = filter.span ?? {};
  const search = text.length === 0 ? undefined : await TextSearch.of(database, accountId, text, filter);
  const rest = place === undefined ? whole : behind(whole, place);
  const isLookedThrough = tested.length > 0 || search !== undefined;
  const ahead = isLookedThrough ? await lookAhead(database, rest, tested, bounds.few, lookedThrough) : {};
  const rare = await search?.rare(Math.min(bounds.hits, ahead.fewest ?? Infinity));
  const { few, end } = rare === undefined ? ahead : { few: rare };
  const listing = { tested, ...(few && { few }) };
  if (search === undefined || rare !== undefined) {
    const walk = end === undefined ? rest : upTo(rest, end);
    const rows = await readPage<TraceRow & Entry>(database, accountId, { ...listing, walk }, limit, TRACES);
    return {
      traces: rows.map(toListed),
      ...(end && rows.length < limit && { lookedUntil: toPosition(end) }),
    };
  }
  const next = (from: Entry | undefined, count: number): Promise<SizedEntry[]> => {
    const others = from === undefined ? whole : behind(whole, from);
    const walk = end === undefined ? others : upTo(others, end);
    return readPage<SizedEntry>(database, accountId, { ...listing, walk }, count, SIZES);
  };
  const { found, lookedUntil = end } = await searchAlong(search, next, place, { limit, lookedThrough });
  const ids = JSON.stringify(found.map(({ trace_id: id }) => id));
  const rows = await database.all<TraceRow>(
    `SELECT ${TRACE_COLUMNS} FROM json_each(?) found
      CROSS JOIN traces t ON t.account_id = ? AND t.trace_id = found.value ${JOIN_ROOT}`,
    [ids, accountId],
  );
  const byId = new Map(rows.map((row) => [row.trace_id, row]));
  return {
    traces: found.flatMap(({ trace_id, sorted_by }) => {
      const row = byId.get(trace_id);
      return row === undefined ? [] : [toListed({ ...row, sorted_by })];
    }),
    ...(lookedUntil && found.length < limit && { lookedUntil: toPosition(lookedUntil) }),
  };
}

/** The columns of a page and the tables that they need. */
type PageColumns = readonly [columns: string, joins: string];

const TRACES: PageColumns = [TRACE_COLUMNS, JOIN_ROOT];
const SIZES: PageColumns = ['t.trace_id, t.span_count', ''];

function readPage<R extends Entry>(
  database: Reader,
  accountId: string,
  { walk, tested, few }: Listing,
  limit: number,
  [columns, joins]: PageColumns,
): Promise<R[]> {
  const { table, sortedBy } = walk;
  const [found, ...foundParameters] = few ?? [];
  const other = table === 't' ? 'c' : 't';
  const [where, ...parameters] = joinConditions([...walkConditions(walk), ...tested.map(({ test }) => test)]);
  return database.all<R>(
    `SELECT ${columns}, page.sorted_by
      FROM (SELECT ${table}.trace_id, ${sortedBy} AS sorted_by
        FROM ${
          found === undefined
            ? indexedTable(walk)
            : `(SELECT DISTINCT trace_id FROM (${found}) ORDER BY trace_id) f
              CROSS JOIN ${TABLES[table]} ON ${table}.account_id = ? AND ${table}.trace_id = f.trace_id`
        } ${
          tested.some(({ reads }) => reads === other)
            ? `CROSS JOIN ${TABLES[other]} ON ${other}.account_id = ${table}.account_id AND ${other}.trace_id = ${table}.trace_id`
            : ''
        }
        WHERE ${where} ${inOrder(walk, sortedBy, `${table}.trace_id`)} LIMIT ?) page
      CROSS JOIN traces t ON t.account_id = ? AND t.trace_id = page.trace_id ${joins}
      ${inOrder(walk, 'page.sorted_by', 'page.trace_id')}`,
    [...(found === undefined ? [] : [...foundParameters, accountId]), ...parameters, limit, accountId],
  );
}

/** @returns the condition that finds the fewest traces, if these are few, and their number; else the last entry to read, if there are more */
async function lookAhead(
  database: Reader,
  walk: Walk,
  tested: readonly TestedCondition[],
  few: number,
  lookedThrough: number,
): Promise<{ few?: Condition; fewest?: number; end?: Entry }> {
  const all = tested.flatMap(({ candidates }) => (candidates ? [candidates] : []));
  const counts = all.map(([sql]) => `(SELECT count(*) FROM (${sql} LIMIT ${few + 1}))`);
  const [conditions, ...parameters] = joinConditions(walkConditions(walk));
  const [row] = await database.all<{ counts: string } & (Entry | { trace_id: null })>(
    `SELECT json_array(${counts.join(', ')}) AS counts, last.sorted_by, last.trace_id
      FROM (SELECT 1) LEFT JOIN (SELECT ${walk.sortedBy} AS sorted_by, ${walk.table}.trace_id FROM ${indexedTable(walk)}
        WHERE ${conditions} ${inOrder(walk, walk.sortedBy, `${walk.table}.trace_id`)}
        LIMIT 1 OFFSET ${lookedThrough - 1}) last`,
    [...all.flatMap(([, ...values]) => values), ...parameters],
  );
  const found = JSON.parse(row?.counts ?? '[]') as number[];
  const fewest = Math.min(...found);
  const candidates = fewest > few ? undefined : all[found.indexOf(fewest)];
  if (candidates !== undefined) return { few: candidates, fewest };
  return row === undefined || row.trace_id === null ? {} : { end: row };
}
