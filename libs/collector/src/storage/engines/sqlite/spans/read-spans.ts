import { Pieces } from '../../../../memory/pieces.js';
import { DatabaseDamagedError } from '../../../../errors.js';
import type { SpanRef } from '../../../ports/span-store.js';
import type { StoredSpan } from '../../../rules/span-usage.js';
import type { Reader } from '../connection.js';
import { PAYLOAD_COLUMNS, type PayloadRow } from '../../../spans/payload.js';
import { SPAN_COLUMNS, type SpanRow, toStoredSpan } from '../../../spans/rows.js';
import { computeChecksum } from './payload.js';
import { joinParts, PART_TEXTS, type PartsRow } from './payload-parts.js';

const READ_SPANS = `SELECT ${SPAN_COLUMNS}, ${PAYLOAD_COLUMNS}, checksum, ${PART_TEXTS}
  FROM (SELECT value AS ref FROM json_each(?))
  CROSS JOIN spans ON account_id = ? AND trace_id = ref ->> 0 AND span_id = ref ->> 1
  JOIN span_payloads USING (span_no)`;

/** Characters of payloads parsed in one go; other requests have their turn in between. */
const CHARACTERS_IN_A_TURN = 256 * 1024;

/** @throws DatabaseDamagedError when a payload is not what was stored */
export async function readSpans(
  database: Reader,
  accountId: string,
  spans: readonly SpanRef[],
): Promise<StoredSpan[]> {
  const wanted = JSON.stringify(spans.map(({ trace_id, span_id }) => [trace_id, span_id]));
  const rows = await database.all<SpanRow & PayloadRow & PartsRow & { checksum: number | null }>(READ_SPANS, [
    wanted,
    accountId,
  ]);
  const found: StoredSpan[] = [];
  const pieces = new Pieces(CHARACTERS_IN_A_TURN);
  for (const row of rows) {
    const payload = joinParts(row);
    if (row.checksum !== null && computeChecksum(payload) !== row.checksum) {
      throw new DatabaseDamagedError(`the payload of span ${row.span_id} is not what was stored`);
    }
    const { input, output, prompt, contexts } = payload;
    for (const json of [input, output, prompt, contexts]) await pieces.fit(json?.length ?? 0);
    found.push(toStoredSpan(row, payload));
  }
  return found;
}
