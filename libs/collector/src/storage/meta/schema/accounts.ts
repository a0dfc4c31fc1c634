const ACCOUNTS = `CREATE TABLE accounts(
  account_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_us INTEGER NOT NULL
) STRICT`;

const API_KEYS = `CREATE TABLE api_keys(
  api_key_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  hint TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  scopes TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  last_used_us INTEGER,
  expires_us INTEGER,
  revoked_us INTEGER,
  replaced_by TEXT,
  requests_per_minute INTEGER
) STRICT`;

const MEMBERS = `CREATE TABLE members(
  member_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  role TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  joined_us INTEGER,
  code_hash BLOB UNIQUE CHECK(length(code_hash) = 32),
  link_hash BLOB UNIQUE CHECK(length(link_hash) = 32),
  link_expires_us INTEGER,
  UNIQUE(account_id, name_key)
) STRICT`;

const SIGN_IN_TOKENS = `CREATE TABLE sign_in_tokens(
  hash BLOB PRIMARY KEY CHECK(length(hash) = 32),
  account_id TEXT NOT NULL,
  expires_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

const BROWSER_SESSIONS = `CREATE TABLE browser_sessions(
  hash BLOB PRIMARY KEY CHECK(length(hash) = 32),
  session_id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  member_id TEXT,
  api_key_id TEXT,
  browser TEXT,
  created_us INTEGER NOT NULL,
  last_used_us INTEGER,
  expires_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

/** Each shows one trace or one run. */
const SHARE_LINKS = `CREATE TABLE share_links(
  link_id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  account_id TEXT NOT NULL,
  trace_id TEXT,
  test_run_id TEXT,
  payloads INTEGER NOT NULL,
  created_by TEXT,
  created_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL,
  opened_us INTEGER
) STRICT`;

const AUDIT_LOG = `CREATE TABLE audit_log(
  entry_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  action TEXT NOT NULL,
  object TEXT,
  api_key_id TEXT,
  session_id TEXT,
  member_id TEXT,
  member_name TEXT
) STRICT`;

/** An empty key stores the rule for all keys without their own. */
const RETENTION_RULES = `CREATE TABLE retention_rules(
  account_id TEXT NOT NULL,
  trace_function_key TEXT NOT NULL,
  days INTEGER NOT NULL,
  PRIMARY KEY(account_id, trace_function_key)
) STRICT, WITHOUT ROWID`;

export const ACCOUNT_TABLES = [
  ACCOUNTS,
  API_KEYS,
  'CREATE INDEX api_keys_in_use ON api_keys(account_id, created_us) WHERE revoked_us IS NULL',
  MEMBERS,
  SIGN_IN_TOKENS,
  BROWSER_SESSIONS,
  'CREATE INDEX browser_sessions_of_account ON browser_sessions(account_id, created_us)',
  'CREATE INDEX browser_sessions_of_member ON browser_sessions(member_id) WHERE member_id IS NOT NULL',
  SHARE_LINKS,
  'CREATE INDEX share_links_of_account ON share_links(account_id, created_us)',
  'CREATE INDEX share_links_of_trace ON share_links(account_id, trace_id) WHERE trace_id IS NOT NULL',
  AUDIT_LOG,
  'CREATE INDEX audit_log_of_account ON audit_log(account_id, entry_no)',
  'CREATE INDEX audit_log_by_time ON audit_log(at_us)',
  RETENTION_RULES,
];
