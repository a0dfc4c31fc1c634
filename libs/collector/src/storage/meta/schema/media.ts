import type { Dialect } from '../dialect.js';
import { hasMedia } from '../media.js';

/** `bytes` is NULL while the account has no room for them. */
const MEDIA = `CREATE TABLE media(
  media_no INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  media_id TEXT NOT NULL,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB,
  UNIQUE(account_id, media_id)
) STRICT`;

/** References of traces to media. */
const USES = `CREATE TABLE media_uses(
  account_id TEXT NOT NULL,
  media_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  received_us INTEGER NOT NULL,
  PRIMARY KEY(account_id, media_id, trace_id)
) STRICT, WITHOUT ROWID`;

export const mediaTables = (dialect: Dialect): string[] => [
  MEDIA,
  'CREATE INDEX media_sizes ON media(account_id, size) WHERE bytes IS NOT NULL',
  USES,
  'CREATE INDEX media_uses_of_traces ON media_uses(account_id, trace_id)',
  `CREATE INDEX dataset_items_with_media ON dataset_items(account_id) WHERE ${hasMedia(dialect, 'item')}`,
];
