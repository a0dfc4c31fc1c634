import { formatTimestamp, type TraceFunctionKeySummary } from '@dacapo/protocol';
import type { Reader } from '../connection.js';

const KEYS = `SELECT trace_function_key, span_count, last_started_us FROM trace_function_keys
  WHERE account_id = ? ORDER BY last_started_us DESC, trace_function_key`;

interface KeyRow {
  trace_function_key: string;
  span_count: number;
  last_started_us: number;
}

/** The keys of an account with their numbers of spans, latest call first. */
export async function listTraceFunctionKeys(
  reader: Reader,
  accountId: string,
): Promise<TraceFunctionKeySummary[]> {
  const rows = await reader.all<KeyRow>(KEYS, [accountId]);
  return rows.map(({ last_started_us: lastStartedUs, ...row }) => ({
    ...row,
    last_started_at: formatTimestamp(lastStartedUs),
  }));
}
