import { formatTimestamp, parseTimestamp, type TraceFunctionKeySummary } from '@dacapo/protocol';
import type { CallTraceFilter, Range } from '../../ports/span-store.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { listLatest } from './list-latest.js';
import { callsOf } from './tables.js';

const KEYS = `SELECT c.trace_function_key AS trace_function_key, sum(c.span_count) AS span_count,
    max(c.last_started_us) AS last_started_us
  FROM ${callsOf()} GROUP BY trace_function_key ORDER BY last_started_us DESC, trace_function_key`;

export async function listCallTraces(
  connection: ClickHouseConnection,
  accountId: string,
  filter: CallTraceFilter,
  { limit, after }: Range,
): Promise<{ trace_id: string; started_at: string }[]> {
  const conditions = callConditions(accountId, filter);
  conditions.add('c.is_recording = 1');
  if (after !== undefined) {
    const place = [conditions.bind(parseTimestamp(after[0]) ?? 0), conditions.bind(after[1])];
    conditions.add(`(c.started_us, t.trace_id) < (${place.join(', ')})`);
  }
  const rows = await listLatest(connection, accountId, limit, (traces, most) =>
    connection.all<{ trace_id: string; records: number; started_us: number }>(
      `SELECT t.trace_id AS trace_id, t.records AS records, c.started_us AS started_us FROM ${callsOf(traces)}
        WHERE ${conditions.sql} ORDER BY started_us DESC, trace_id DESC, records DESC LIMIT ${most}`,
      conditions.parameters,
    ),
  );
  return rows.map(({ trace_id, started_us }) => ({ trace_id, started_at: formatTimestamp(started_us) }));
}

export async function countCallTraces(
  connection: ClickHouseConnection,
  accountId: string,
  filter: CallTraceFilter,
): Promise<{ listed: number; others: number }> {
  const conditions = callConditions(accountId, filter);
  const row = await connection.get<{ listed: number; others: number }>(
    `SELECT countIf(c.is_recording = 1) AS listed, countIf(c.is_recording = 0) AS others FROM ${callsOf()}
      WHERE ${conditions.sql}`,
    conditions.parameters,
  );
  return row ?? { listed: 0, others: 0 };
}

export async function listTraceFunctionKeys(
  connection: ClickHouseConnection,
  accountId: string,
): Promise<TraceFunctionKeySummary[]> {
  const rows = await connection.all<
    Omit<TraceFunctionKeySummary, 'last_started_at'> & { last_started_us: number }
  >(KEYS, { accountId });
  return rows.map(({ last_started_us, ...row }) => ({
    ...row,
    last_started_at: formatTimestamp(last_started_us),
  }));
}

function callConditions(
  accountId: string,
  { traceFunctionKey, since, until, session_id, status }: CallTraceFilter,
): Conditions {
  const conditions = new Conditions(accountId);
  conditions.equal('c.trace_function_key', traceFunctionKey);
  if (since !== undefined) conditions.compare('c.started_us', '>=', parseTimestamp(since) ?? 0);
  if (until !== undefined) conditions.compare('c.started_us', '<', parseTimestamp(until) ?? 0);
  if (session_id !== undefined) conditions.equal('t.session_id', session_id);
  if (status !== undefined) conditions.add(`c.${status}_count > 0`);
  return conditions;
}
