import type { Page, RecordedCall, SearchCallsRequest } from '@dacapo/protocol';
import { InvalidCursorError } from '../../../../errors.js';
import { decodeCursor, encodeCursor } from '../../../pages.js';
import type { Connection } from '../connection.js';
import { findOutermostCalls, type OutermostCall } from './outermost-calls.js';
import { readCalls } from './read-calls.js';
import { takeWithin } from '../take-within.js';

export type CallSearch = Required<Pick<SearchCallsRequest, 'limit'>> & SearchCallsRequest;

/** A place in the list of candidates, and the call that was found there. */
interface Found {
  call: OutermostCall;
  cursor: string;
}

export async function searchCalls(
  database: Connection,
  accountId: string,
  search: CallSearch,
): Promise<Page<RecordedCall>> {
  const found =
    search.trace_ids === undefined
      ? await findRecordings(database, accountId, search)
      : await findNamed(database, accountId, search, search.trace_ids);
  const kept = takeWithin(found.slice(0, search.limit), ({ call }) => call.payload_bytes);
  const last = kept.at(-1);
  return {
    items: await readCalls(
      database,
      kept.map(({ call }) => call.span_no),
    ),
    ...(found.length > kept.length && last && { next_cursor: last.cursor }),
  };
}

/** Calls of named traces, whatever their status: who names a trace wants that one. */
async function findNamed(
  database: Connection,
  accountId: string,
  search: CallSearch,
  traceIds: string[],
): Promise<Found[]> {
  const [start] = search.cursor === undefined ? [0] : decodeCursor(search.cursor, [0]);
  if (start < 0) throw new InvalidCursorError();
  const unique = [...new Set(traceIds)];
  const places = new Map(unique.map((traceId, index) => [traceId, index]));
  const found: Found[] = [];
  for (let from = start; from < unique.length && found.length <= search.limit; from += search.limit) {
    const some = unique.slice(from, from + search.limit);
    for (const call of await findOutermostCalls(database, accountId, search.trace_function_key, some)) {
      found.push({ call, cursor: encodeCursor([(places.get(call.trace_id) ?? 0) + 1]) });
    }
  }
  return found;
}

async function findRecordings(database: Connection, accountId: string, search: CallSearch): Promise<Found[]> {
  const found: Found[] = [];
  let after = search.cursor === undefined ? undefined : decodeCursor(search.cursor, [0, '']);
  for (;;) {
    const candidates = await database.all<{ started_us: number; trace_id: string }>(
      `SELECT started_us, trace_id FROM trace_calls
        WHERE account_id = ? AND trace_function_key = ? AND is_recording = 1
        ${after ? 'AND (started_us, trace_id) < (?, ?)' : ''}
        ORDER BY started_us DESC, trace_id DESC LIMIT ?`,
      [accountId, search.trace_function_key, ...(after ?? []), search.limit + 1],
    );
    const cursors = new Map(
      candidates.map((row) => [row.trace_id, encodeCursor([row.started_us, row.trace_id])]),
    );
    const calls = await findOutermostCalls(database, accountId, search.trace_function_key, [
      ...cursors.keys(),
    ]);
    for (const call of calls) {
      const isRecording = call.status !== 'unfinished' && call.test_run_id === null;
      if (isRecording) found.push({ call, cursor: cursors.get(call.trace_id) ?? '' });
    }
    const last = candidates.at(-1);
    if (!last || candidates.length <= search.limit || found.length > search.limit) return found;
    after = [last.started_us, last.trace_id];
  }
}
