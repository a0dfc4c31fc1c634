import { Pieces } from '../../memory/pieces.js';
import type { StoredSpan } from '../rules/span-usage.js';
import type { PayloadRow } from './payload.js';
import { type SpanRow, toStoredSpan } from './rows.js';

/** Characters of payloads to parse before other requests get their turn. */
const CHARACTERS_IN_A_TURN = 256 * 1024;

export async function toStoredSpans<R extends SpanRow>(
  rows: readonly R[],
  readPayload: (row: R) => PayloadRow,
): Promise<StoredSpan[]> {
  const spans: StoredSpan[] = [];
  const pieces = new Pieces(CHARACTERS_IN_A_TURN);
  for (const row of rows) {
    const payload = readPayload(row);
    const { input, output, prompt, contexts } = payload;
    for (const json of [input, output, prompt, contexts]) await pieces.fit(json?.length ?? 0);
    spans.push(toStoredSpan(row, payload));
  }
  return spans;
}
