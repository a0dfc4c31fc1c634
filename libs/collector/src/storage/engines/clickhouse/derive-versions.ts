import { joinRecords } from '../../rules/join-records.js';
import { decodeFacts, deriveTrace } from '../../spans/derive-trace.js';
import { encodeSpan } from '../../spans/encode-spans.js';
import { PAYLOAD_COLUMNS, type PayloadRow } from '../../spans/payload.js';
import { SPAN_COLUMNS, toStoredSpan } from '../../spans/rows.js';
import { DAY_HOURS, floorToPeriod } from '../../ports/metrics-query.js';
import type { PlacedTally } from '../../rules/contribution.js';
import { compareStarts, groupBy } from '../../spans/group-rows.js';
import type { ClickHouseConnection } from './connection.js';
import { findWinner, needJoin, type RecordRow, toRecordRow } from './record-rows.js';
import { OF_TRACES } from './tables.js';

const RECORDS = `SELECT ${SPAN_COLUMNS}, row_no, parts, rank, received_us, facts FROM span_records
  WHERE account_id = {accountId:String} AND ${OF_TRACES}`;

const ARRIVED = `SELECT ${SPAN_COLUMNS}, ${PAYLOAD_COLUMNS} FROM span_records
  WHERE account_id = {accountId:String} AND ${OF_TRACES} AND span_id IN {spanIds:Array(String)} AND parts = 1
  ORDER BY row_no`;

/**
 * Derives traces from all of their records, and stores the result as their latest version. Two batches of one trace may do so at the same
 * time. Each reads after its own records are stored, so the last reader knows all records and its version counts.
 */
export async function deriveVersions(
  connection: ClickHouseConnection,
  accountId: string,
  traceIds: readonly string[],
  takeNumber: () => number,
): Promise<void> {
  while (traceIds.length > 0) {
    const rows = await connection.all<RecordRow>(RECORDS, { accountId, traceIds });
    const spans = groupBy(
      rows.filter(({ span_id }) => span_id !== ''),
      ({ trace_id, span_id }) => `${trace_id}/${span_id}`,
    );
    const parted = [...spans.values()].filter(needJoin);
    if (parted.length > 0) {
      await storeJoined(connection, accountId, parted, takeNumber);
      continue;
    }
    const traces = groupBy(rows, ({ trace_id }) => trace_id);
    const versions = Array.from(traces, ([traceId, records]) => toVersion(traceId, records, spans));
    await connection.insert(
      'trace_versions',
      versions.map((version) => ({ ...version, account_id: accountId })),
    );
    return;
  }
}

/** Stores each span that arrived in parts as one more row. */
async function storeJoined(
  connection: ClickHouseConnection,
  accountId: string,
  parted: readonly (readonly RecordRow[])[],
  takeNumber: () => number,
): Promise<void> {
  const firsts = parted.flatMap(([first]) => first ?? []);
  const arrived = await connection.all<RecordRow & PayloadRow>(ARRIVED, {
    accountId,
    traceIds: firsts.map(({ trace_id }) => trace_id),
    spanIds: firsts.map(({ span_id }) => span_id),
  });
  const joined = parted.flatMap(([first]) => {
    const own = arrived.filter((row) => row.trace_id === first?.trace_id && row.span_id === first.span_id);
    const span = joinRecords(own.map((row) => toStoredSpan(row, row)));
    if (span === undefined || first === undefined) return [];
    const place = { account_id: accountId, row_no: takeNumber(), received_us: first.received_us };
    return [{ ...toRecordRow(encodeSpan(span), [], place), parts: own.length }];
  });
  await connection.insert('span_records', joined);
}

function toVersion(
  traceId: string,
  records: readonly RecordRow[],
  spans: ReadonlyMap<string, readonly RecordRow[]>,
) {
  const spanIds = new Set(records.flatMap(({ span_id }) => (span_id === '' ? [] : [span_id])));
  const counting = Array.from(spanIds, (id) => findWinner(spans.get(`${traceId}/${id}`) ?? [])).filter(
    (row) => row !== undefined,
  );
  counting.sort(compareStarts);
  const kept = new Set(counting);
  const facts = records.flatMap(({ facts: said }) => (said === '' ? [] : decodeFacts(traceId, said)));
  const receivedUs = records.map(({ received_us }) => received_us).reduce((a, b) => Math.min(a, b));
  const { trace, calls, facets, contribution } = deriveTrace(traceId, counting, facts, receivedUs);
  return {
    ...trace,
    // Facts stay in the records that had them.
    facts: undefined,
    records: records.length,
    superseded: records.flatMap((row) => (row.span_id === '' || kept.has(row) ? [] : [row.row_no])),
    facets: [...facets],
    calls: calls.map((call) => ({
      ...call,
      trace_id: undefined,
      is_recording: call['is_recording'] === true ? 1 : 0,
    })),
    tallies: contribution.map(toTally),
    days: listDays(records),
  };
}

/** Of all records, so that a version names each day of those that it replaces. */
function listDays(records: readonly RecordRow[]): number[] {
  const spans = records.filter(({ span_id }) => span_id !== '');
  return [...new Set(spans.map(({ started_us }) => floorToPeriod(started_us, DAY_HOURS)))];
}

function toTally({ traceFunctionKey, isReplay, hourUs, tally }: PlacedTally) {
  const [sums, durations] = tally.encode();
  return {
    trace_function_key: traceFunctionKey,
    is_replay: isReplay ? 1 : 0,
    hour_us: hourUs,
    sums,
    bins: durations.filter((_, place) => place % 2 === 0),
    counts: durations.filter((_, place) => place % 2 === 1),
  };
}
