/** Ignores the late record, whatever statement stores it. */
const ignoreLate = (table: string): string =>
  `CREATE TRIGGER ${table}_of_deleted BEFORE INSERT ON ${table} WHEN EXISTS (SELECT 1 FROM deleted_traces d
    WHERE d.account_id = NEW.account_id AND d.trace_id = NEW.trace_id) BEGIN
  SELECT RAISE(IGNORE);
END`;

export const LATE_RECORD_TRIGGERS = ['spans', 'traces', 'trace_attributes'].map(ignoreLate);
