import { type DatabaseCheck, fails, passes } from '../../database-check.js';
import { PostgresConnection } from './connection.js';
import { DEFAULT_CONNECTIONS, LOCK_CONNECTIONS } from './open-postgres-storage.js';

const OLDEST_TESTED = 15;

/** Fewer deleted rows are not reported. Autovacuum begins at a fifth of a table. */
const DELETED_ROWS = 100_000;
const DELETED_SHARE = 0.4;

/** A transaction that is open this long has probably been forgotten. */
const OLD_TRANSACTION_S = 3600;

const SETTINGS = `SELECT current_setting('server_version_num')::int AS version,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
  current_setting('autovacuum') AS autovacuum`;

const DELETED = `SELECT relname AS name, n_dead_tup AS rows FROM pg_stat_user_tables
  WHERE n_dead_tup > $1 AND n_dead_tup > $2::float8 * (n_live_tup + n_dead_tup) ORDER BY n_dead_tup DESC`;

const OLDEST = `SELECT coalesce(max(extract(epoch FROM now() - xact_start)), 0)::int AS seconds
  FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;

interface Settings {
  version: number;
  connections: number;
  autovacuum: string;
}

/**
 * Checks whether a PostgreSQL server suits a collector. Changes nothing.
 *
 * @param connections the connections of one collector, without those for locks
 * @throws StorageError
 */
export async function checkPostgres(
  address: string,
  connections = DEFAULT_CONNECTIONS,
): Promise<DatabaseCheck[]> {
  const database = new PostgresConnection(address, { connections: 1 });
  try {
    const [settings] = await database.all<Settings>(SETTINGS, []);
    if (settings === undefined) return [];
    const deleted = await database.all<{ name: string; rows: number }>(DELETED, [
      DELETED_ROWS,
      DELETED_SHARE,
    ]);
    const [oldest] = await database.all<{ seconds: number }>(OLDEST, []);
    return [
      checkVersion(settings),
      checkConnections(settings, connections + LOCK_CONNECTIONS),
      checkVacuum(settings, deleted),
      checkTransactions(oldest?.seconds ?? 0),
    ];
  } finally {
    await database.close();
  }
}

function checkVersion({ version }: Settings): DatabaseCheck {
  const [name, major] = ['PostgreSQL version', Math.floor(version / 10_000)];
  return major < OLDEST_TESTED
    ? fails(name, `${major} is older than ${OLDEST_TESTED}, the oldest tested version. Upgrade PostgreSQL.`)
    : passes(name, `${major}.${version % 10_000}`);
}

function checkConnections({ connections }: Settings, needed: number): DatabaseCheck {
  const name = 'PostgreSQL connections';
  return connections < needed
    ? fails(
        name,
        `PostgreSQL accepts ${connections}, but one collector opens up to ${needed}. Raise max_connections, or pass --storage-connections ${Math.max(2, connections - LOCK_CONNECTIONS)} to doctor and serve.`,
      )
    : passes(
        name,
        `PostgreSQL accepts ${connections}, enough for ${Math.floor(connections / needed)} collectors`,
      );
}

function checkVacuum(
  { autovacuum }: Settings,
  deleted: readonly { name: string; rows: number }[],
): DatabaseCheck {
  const name = 'PostgreSQL vacuum';
  const tables = deleted.map((table) => `${table.name} (${table.rows})`).join(', ');
  if (autovacuum !== 'on') {
    return fails(name, 'Autovacuum is off, so deleted rows stay in the files. Set autovacuum = on.');
  }
  return deleted.length === 0
    ? passes(name, 'autovacuum is on, and no table has many deleted rows')
    : fails(
        name,
        `Deleted rows are still in the files of ${tables}. Run VACUUM ${deleted.map((table) => table.name).join(', ')}, and lower autovacuum_vacuum_scale_factor if they come back.`,
      );
}

function checkTransactions(seconds: number): DatabaseCheck {
  const name = 'PostgreSQL transactions';
  return seconds < OLD_TRANSACTION_S
    ? passes(name, 'none is old enough to keep deleted rows')
    : fails(
        name,
        `One is open for ${Math.floor(seconds / 60)} minutes, so deleted rows stay in the files. Find it in pg_stat_activity, end it, and set idle_in_transaction_session_timeout.`,
      );
}
