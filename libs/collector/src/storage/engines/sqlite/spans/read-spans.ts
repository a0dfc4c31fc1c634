import { DatabaseDamagedError } from '../../../../errors.js';
import type { SpanRef } from '../../../ports/span-store.js';
import type { StoredSpan } from '../../../rules/span-usage.js';
import type { Reader } from '../connection.js';
import { PAYLOAD_COLUMNS, type PayloadRow } from '../../../spans/payload.js';
import { SPAN_COLUMNS, type SpanRow } from '../../../spans/rows.js';
import { toStoredSpans } from '../../../spans/stored-spans.js';
import { computeChecksum } from './payload.js';
import { joinParts, PART_TEXTS, type PartsRow } from './payload-parts.js';

const READ_SPANS = `SELECT ${SPAN_COLUMNS}, ${PAYLOAD_COLUMNS}, checksum, ${PART_TEXTS}
  FROM (SELECT value AS ref FROM json_each(?))
  CROSS JOIN spans ON account_id = ? AND trace_id = ref ->> 0 AND span_id = ref ->> 1
  JOIN span_payloads USING (span_no)`;

/** @throws DatabaseDamagedError if the checksum of a payload is wrong */
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
  return toStoredSpans(rows, (row) => {
    const payload = joinParts(row);
    if (row.checksum !== null && computeChecksum(payload) !== row.checksum) {
      throw new DatabaseDamagedError(`the payload of span ${row.span_id} is not what was stored`);
    }
    return payload;
  });
}
