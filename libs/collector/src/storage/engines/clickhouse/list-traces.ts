import { formatTimestamp, isTimeSort, parseTimestamp, type TraceSort } from '@dacapo/protocol';
import type { MetaStore } from '../../meta/meta-store.js';
import type { Range, TraceList, TracePosition } from '../../ports/span-store.js';
import type { TraceFilter } from '../../ports/trace-filter.js';
import { AMOUNT_COLUMNS, toTraceSummary } from '../../spans/rows.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { listLatest } from './list-latest.js';
import { listScored } from './list-scored.js';
import { VERSION_COLUMNS, type VersionRow, withRoots } from './read-traces.js';
import { callsOf } from './tables.js';
import { addTraceConditions } from './trace-conditions.js';

interface Entry extends VersionRow {
  records: number;
  sorted_by: number;
}

export async function listTraces(
  connection: ClickHouseConnection,
  scores: MetaStore['scores'],
  accountId: string,
  filter: TraceFilter,
  range: Range<TracePosition>,
  sort: TraceSort,
): Promise<TraceList> {
  const table = filter.traceFunctionKey === undefined ? 't' : 'c';
  const [direction, isBehind] = sort === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const sortedBy = isTimeSort(sort) ? `${table}.started_us` : `t.${AMOUNT_COLUMNS[sort]}`;
  const toPosition = ({ sorted_by: by, trace_id }: Entry): TracePosition => [
    isTimeSort(sort) ? formatTimestamp(by) : by,
    trace_id,
  ];
  const read = ({ limit, after }: Range<TracePosition>): Promise<Entry[]> => {
    const conditions = new Conditions(accountId);
    addTraceConditions(conditions, filter);
    if (after !== undefined) {
      const [by, id] = after;
      const place = isTimeSort(sort) ? (parseTimestamp(String(by)) ?? 0) : Number(by);
      conditions.add(
        `(${sortedBy}, t.trace_id) ${isBehind} (${conditions.bind(place)}, ${conditions.bind(id)})`,
      );
    }
    return listLatest(connection, accountId, limit, (traces, most) =>
      connection.all<Entry>(
        `SELECT ${VERSION_COLUMNS}, t.records AS records, ${sortedBy} AS sorted_by
          FROM ${table === 't' ? `${traces} AS t` : callsOf(traces)} WHERE ${conditions.sql}
          ORDER BY sorted_by ${direction}, trace_id ${direction}, records DESC LIMIT ${most}`,
        conditions.parameters,
      ),
    );
  };
  const { score } = filter;
  const select =
    score &&
    (async (rows: readonly Entry[]): Promise<Entry[]> => {
      const ids = rows.map(({ trace_id }) => trace_id);
      const found = new Set(await scores.findScored(accountId, 'trace', ids, score));
      return rows.filter(({ trace_id }) => found.has(trace_id));
    });
  const { rows, lookedUntil } = await listScored(range, read, toPosition, select);
  const whole = await withRoots(connection, accountId, rows);
  return {
    traces: whole.map((row) => ({
      trace: toTraceSummary(row),
      ...(row.root_span_id !== null && { rootSpanId: row.root_span_id }),
      position: toPosition(row),
    })),
    ...(lookedUntil !== undefined && { lookedUntil }),
  };
}
