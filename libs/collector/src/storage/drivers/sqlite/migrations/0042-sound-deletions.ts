import type { Migration } from './migration.js';

/**
 * Deletions count in the transaction that deletes, commits are counted so that a lost log is found, and payloads have checksums. Those
 * from before, and those that SQL joins of two records, have none.
 */
export const soundDeletions: Migration = {
  id: 42,
  name: 'sound-deletions',
  statements: [
    `CREATE TABLE deletion_counts(
      account_id TEXT NOT NULL,
      deletion_id TEXT NOT NULL,
      name TEXT NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY(account_id, deletion_id, name)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE commit_count(
      count_no INTEGER PRIMARY KEY CHECK(count_no = 1), database_id TEXT NOT NULL, writes INTEGER NOT NULL
    ) STRICT`,
    'ALTER TABLE span_payloads ADD COLUMN checksum INTEGER',
    // Spans with words that a search does not find.
    `CREATE TABLE cut_texts(
      account_id TEXT NOT NULL, span_no INTEGER NOT NULL, PRIMARY KEY(account_id, span_no)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TRIGGER cut_text_deleted AFTER DELETE ON spans BEGIN
      DELETE FROM cut_texts WHERE account_id = OLD.account_id AND span_no = OLD.span_no;
    END`,
    `CREATE TABLE lost_writes(
      loss_no INTEGER PRIMARY KEY, found_us INTEGER NOT NULL, writes INTEGER NOT NULL, accepted_us INTEGER
    ) STRICT`,
  ],
};
