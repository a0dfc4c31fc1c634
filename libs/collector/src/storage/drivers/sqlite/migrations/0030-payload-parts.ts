import type { Migration } from './migration.js';

const used = (row: 'NEW' | 'OLD'): string => `SELECT DISTINCT value FROM json_each(${row}.parts)`;

const TAKE = `INSERT INTO payload_part_uses(part_no, uses) SELECT value, 1 FROM (${used('NEW')}) WHERE true
  ON CONFLICT(part_no) DO UPDATE SET uses = uses + 1`;

const RELEASE = `UPDATE payload_part_uses SET uses = uses - 1 WHERE part_no IN (${used('OLD')});
  DELETE FROM payload_parts WHERE part_no IN (
    SELECT part_no FROM payload_part_uses WHERE uses = 0 AND part_no IN (${used('OLD')}));
  DELETE FROM payload_part_uses WHERE uses = 0 AND part_no IN (${used('OLD')})`;

/**
 * Large parts of payloads, each once an account. Payloads of before stay whole. What uses a part is counted apart from its text: a
 * count that changes writes a page of counts, not one of texts. New payloads are counted once a batch, which is cheaper than a trigger;
 * triggers count what becomes of payloads that were there before, so that no way to delete one forgets its parts.
 */
export const payloadParts: Migration = {
  id: 30,
  name: 'payload-parts',
  statements: [
    // No number is given again: it would be another text for whoever still holds it.
    `CREATE TABLE payload_parts(
      part_no INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      json TEXT NOT NULL,
      UNIQUE(account_id, digest)
    ) STRICT`,
    `CREATE TABLE payload_part_uses(part_no INTEGER PRIMARY KEY, uses INTEGER NOT NULL) STRICT`,
    // JSON: the numbers of the parts that were taken out of this payload, in order.
    'ALTER TABLE span_payloads ADD COLUMN parts TEXT',
    `CREATE TRIGGER parts_of_changed_payload AFTER UPDATE OF parts ON span_payloads
      WHEN NEW.parts IS NOT OLD.parts AND NEW.span_no <= (SELECT last_span_no FROM tally) BEGIN
      ${TAKE};
      ${RELEASE};
    END`,
    `CREATE TRIGGER parts_of_deleted_payload AFTER DELETE ON span_payloads WHEN OLD.parts IS NOT NULL BEGIN
      ${RELEASE};
    END`,
  ],
};
