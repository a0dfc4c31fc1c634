/** Batches whose spans wait for forwarding. Stores ids only, so that no text of a deleted span stays here. */
const FORWARDS = `CREATE TABLE forwards(
  forward_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  queued_us INTEGER NOT NULL,
  span_count INTEGER NOT NULL,
  spans TEXT NOT NULL
) STRICT`;

export const FORWARD_TABLES = [FORWARDS, 'CREATE INDEX forwards_by_account ON forwards(account_id)'];
