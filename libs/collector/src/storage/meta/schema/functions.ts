const VERSIONS = `CREATE TABLE function_versions(
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  source TEXT NOT NULL,
  entry TEXT NOT NULL,
  note TEXT,
  created_us INTEGER NOT NULL,
  UNIQUE(account_id, name, version)
) STRICT`;

const ACTIVE = `CREATE TABLE active_functions(
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY(account_id, name)
) STRICT, WITHOUT ROWID`;

/** When which version became active. */
const ACTIVATIONS = `CREATE TABLE function_activations(
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  activation_no INTEGER NOT NULL,
  version INTEGER NOT NULL,
  activated_us INTEGER NOT NULL,
  UNIQUE(account_id, name, activation_no)
) STRICT`;

export const FUNCTION_TABLES = [VERSIONS, ACTIVE, ACTIVATIONS];
