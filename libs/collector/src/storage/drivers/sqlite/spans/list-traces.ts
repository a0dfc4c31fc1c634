import { formatTimestamp, parseTimestamp, type TraceSort } from '@dacapo/protocol';
import type { Range, TraceList, TracePosition } from '../../../span-store.js';
import type { TextQuery } from '../../../text-query.js';
import type { TraceFilter } from '../../../trace-filter.js';
import type { Reader } from '../connection.js';
import { toMatch } from './text-index.js';
import { JOIN_ROOT, toTraceSummary, TRACE_COLUMNS, type TraceRow } from './rows.js';
import { type TestedCondition, type TextLookup, traceConditions } from './trace-conditions.js';
import {
  allOf,
  behind,
  type Condition,
  conditionsOf,
  entriesOf,
  type Entry,
  TABLES,
  tracesOf,
  upTo,
  type Walk,
} from './trace-walk.js';

export interface ListBounds {
  /** Where a condition finds so many traces at most, these are looked up and sorted; else traces are looked through in their order. */
  few: number;
  /** How many are looked through for one page at most. */
  lookedThrough: number;
}

export const LIST_BOUNDS: ListBounds = { few: 500, lookedThrough: 1_000 };

/** Of a text a page is mostly found among the first: so many are looked through before more are. */
const LOOKED_THROUGH_FIRST = 200;

/** Spans that have a text, among those that are looked through. */
const MANY_HITS = 500;

export async function listTraces(
  database: Reader,
  accountId: string,
  filter: TraceFilter,
  range: Range<TracePosition>,
  sort: TraceSort,
  bounds: ListBounds = LIST_BOUNDS,
): Promise<TraceList> {
  if (filter.span?.text !== undefined && bounds.lookedThrough > LOOKED_THROUGH_FIRST) {
    const first = { ...bounds, lookedThrough: LOOKED_THROUGH_FIRST };
    const list = await listPage(database, accountId, filter, range, sort, first);
    if (list.lookedUntil === undefined) return list;
  }
  return listPage(database, accountId, filter, range, sort, bounds);
}

async function listPage(
  database: Reader,
  accountId: string,
  filter: TraceFilter,
  { limit, after }: Range<TracePosition>,
  sort: TraceSort,
  bounds: ListBounds,
): Promise<TraceList> {
  const { walk: whole, tested } = traceConditions(accountId, filter, sort);
  const { table, sortedBy } = whole;
  const isByTime = sort === 'time';
  const toPosition = ({ sorted_by: by, trace_id: id }: Entry): TracePosition => [
    isByTime ? formatTimestamp(by) : by,
    id,
  ];
  const rest =
    after === undefined
      ? whole
      : behind(whole, {
          sorted_by: isByTime ? (parseTimestamp(String(after[0])) ?? 0) : Number(after[0]),
          trace_id: after[1],
        });
  const { few, end } = tested.length === 0 ? {} : await lookAhead(database, rest, tested, bounds);
  const walk = end === undefined ? rest : upTo(rest, end);

  const text = filter.span?.text;
  const lookup = text && (await lookupOf(database, accountId, text, walk, few));
  const asked = lookup ? traceConditions(accountId, filter, sort, lookup).tested : tested;
  const [found, ...foundParameters] = few ?? [];
  const other = table === 't' ? 'c' : 't';
  const [where, ...parameters] = allOf([...conditionsOf(walk), ...asked.map(({ test }) => test)]);
  const rows = await database.all<TraceRow & Entry>(
    `SELECT ${TRACE_COLUMNS}, page.sorted_by
      FROM (SELECT ${table}.trace_id, ${sortedBy} AS sorted_by
        FROM ${
          found === undefined
            ? entriesOf(walk)
            : `(SELECT DISTINCT trace_id FROM (${found}) ORDER BY trace_id) f
              CROSS JOIN ${TABLES[table]} ON ${table}.account_id = ? AND ${table}.trace_id = f.trace_id`
        } ${
          tested.some(({ reads }) => reads === other)
            ? `CROSS JOIN ${TABLES[other]} ON ${other}.account_id = ${table}.account_id AND ${other}.trace_id = ${table}.trace_id`
            : ''
        }
        WHERE ${where} ORDER BY ${sortedBy} DESC, ${table}.trace_id DESC LIMIT ?) page
      CROSS JOIN traces t ON t.account_id = ? AND t.trace_id = page.trace_id ${JOIN_ROOT}
      ORDER BY page.sorted_by DESC, page.trace_id DESC`,
    [...(found === undefined ? [] : [...foundParameters, accountId]), ...parameters, limit, accountId],
  );
  return {
    traces: rows.map((row) => ({
      trace: toTraceSummary(row),
      ...(row.root_span_id !== null && { rootSpanId: row.root_span_id }),
      position: toPosition(row),
    })),
    ...(end && rows.length < limit && { lookedUntil: toPosition(end) }),
  };
}

/** @returns what finds the fewest traces, where these are few; else the last entry to look at, where there are more */
async function lookAhead(
  database: Reader,
  walk: Walk,
  tested: readonly TestedCondition[],
  { few, lookedThrough }: ListBounds,
): Promise<{ few?: Condition; end?: Entry }> {
  const all = tested.flatMap(({ candidates }) => (candidates ? [candidates] : []));
  const counts = all.map(([sql]) => `(SELECT count(*) FROM (${sql} LIMIT ${few + 1}))`);
  const [conditions, ...parameters] = allOf(conditionsOf(walk));
  const [row] = await database.all<{ counts: string } & (Entry | { trace_id: null })>(
    `SELECT json_array(${counts.join(', ')}) AS counts, last.sorted_by, last.trace_id
      FROM (SELECT 1) LEFT JOIN (SELECT ${walk.sortedBy} AS sorted_by, ${walk.table}.trace_id FROM ${entriesOf(walk)}
        WHERE ${conditions} ORDER BY ${walk.sortedBy} DESC, ${walk.table}.trace_id DESC
        LIMIT 1 OFFSET ${lookedThrough - 1}) last`,
    [...all.flatMap(([, ...values]) => values), ...parameters],
  );
  const found = JSON.parse(row?.counts ?? '[]') as number[];
  const fewest = Math.min(...found);
  const candidates = fewest > few ? undefined : all[found.indexOf(fewest)];
  if (candidates !== undefined) return { few: candidates };
  return row === undefined || row.trace_id === null ? {} : { end: row };
}

/**
 * Among few traces, and those of an amount, whose spans are anywhere, each span is looked up by itself; so it is where many have the
 * text, and a page is soon full. Else all that have it are found at once. What a beginning begins is gathered for every lookup: that is
 * done once.
 */
async function lookupOf(
  database: Reader,
  accountId: string,
  text: TextQuery,
  walk: Walk,
  few: Condition | undefined,
): Promise<TextLookup> {
  const isBeginning = text.some(({ isPrefix }) => isPrefix);
  const isByTime = walk.sortedBy.endsWith('.started_us');
  if ((few !== undefined || !isByTime) && !isBeginning) return 'each';
  const [traces, ...parameters] = few ?? tracesOf(walk);
  const [row] = await database.all<{ least: number | null; most: number | null }>(
    `SELECT min(span_no) AS least, max(span_no) AS most FROM spans WHERE account_id = ? AND trace_id IN (${traces})`,
    [accountId, ...parameters],
  );
  const numbers = { least: row?.least ?? 0, most: row?.most ?? 0 };
  if (isBeginning || text.length === 0) return numbers;
  // From the last on: to come to the first of them takes longer.
  const [hit] = await database.all<{ span_no: number }>(
    `SELECT rowid AS span_no FROM span_text WHERE span_text MATCH ? AND rowid <= ?
      ORDER BY rowid DESC LIMIT 1 OFFSET ${MANY_HITS - 1}`,
    [toMatch(accountId, text), numbers.most],
  );
  return hit !== undefined && hit.span_no >= numbers.least ? 'each' : numbers;
}
