import { type DatabaseCheck, fails, passes } from '../../database-check.js';
import type { ClickHouseAddress } from './address.js';
import { ClickHouseConnection } from './connection.js';

/** Older versions have different options for text indexes. */
const OLDEST_TESTED = [26, 7] as const;

/** ClickHouse's own log tables. Their statements contain searched texts and ids. */
const LOGS = `SELECT name, coalesce(total_bytes, 0) AS bytes, positionCaseInsensitive(create_table_query, ' TTL ') > 0 AS has_ttl
  FROM system.tables WHERE database = 'system' AND endsWith(name, '_log') AND engine LIKE '%MergeTree' ORDER BY name`;

interface LogTable {
  name: string;
  bytes: number;
  has_ttl: number;
}

/** Checks whether a ClickHouse server suits a collector. Changes nothing. @throws StorageError */
export async function checkClickHouse(address: ClickHouseAddress): Promise<DatabaseCheck[]> {
  const connection = await ClickHouseConnection.open(address);
  try {
    const row = await connection.get<{ version: string }>('SELECT version() AS version');
    const logs = await connection.all<LogTable>(LOGS);
    return [checkVersion(row?.version ?? ''), checkLogs(logs)];
  } finally {
    await connection.close();
  }
}

function checkVersion(version: string): DatabaseCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [testedMajor, testedMinor] = OLDEST_TESTED;
  const isOld = major < testedMajor || (major === testedMajor && minor < testedMinor);
  return isOld
    ? fails(
        'ClickHouse version',
        `${version} is older than ${OLDEST_TESTED.join('.')}, the oldest tested version. Upgrade ClickHouse.`,
      )
    : passes('ClickHouse version', version);
}

function checkLogs(logs: readonly LogTable[]): DatabaseCheck {
  const name = 'ClickHouse logs';
  const endless = logs.filter(({ has_ttl }) => has_ttl === 0);
  const [first] = endless;
  if (first === undefined) {
    return passes(name, logs.length === 0 ? 'ClickHouse keeps none' : 'each has a TTL');
  }
  const mib = Math.ceil(endless.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 / 1024);
  const cure = `ALTER TABLE system.${first.name} MODIFY TTL event_date + INTERVAL 7 DAY`;
  return fails(
    name,
    `${endless.map((table) => table.name).join(', ')} in system grow without a limit (${mib} MiB) and contain searched texts. Give each a TTL: ${cure}. Also set <ttl> in the server's configuration, because ClickHouse creates new tables after an upgrade.`,
  );
}
