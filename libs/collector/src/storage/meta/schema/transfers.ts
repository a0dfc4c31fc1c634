/** Has one row while `migrateStorage` fills the database: the source and the progress of the copy. */
export const TRANSFER_TABLES = [
  'CREATE TABLE transfers(source TEXT PRIMARY KEY, place TEXT NOT NULL) STRICT, WITHOUT ROWID',
];
