/** At most one row, in a database that is being filled by `migrateStorage`: where the data comes from, and how far the copy is. */
export const TRANSFER_TABLES = [
  'CREATE TABLE transfers(source TEXT PRIMARY KEY, place TEXT NOT NULL) STRICT, WITHOUT ROWID',
];
