import type { Migration } from './migration.js';

/** Lists and trees show what went wrong without reading payloads. */
export const errorPreviews: Migration = {
  id: 7,
  name: 'error previews',
  statements: [
    `ALTER TABLE spans ADD COLUMN error_preview TEXT`,
    `UPDATE spans SET error_preview = (
        SELECT substr(concat_ws(': ', nullif(error ->> '$.name', ''), nullif(error ->> '$.message', '')), 1, 200)
        FROM span_payloads WHERE span_no = spans.span_no)
      WHERE status = 'error'`,
  ],
};
