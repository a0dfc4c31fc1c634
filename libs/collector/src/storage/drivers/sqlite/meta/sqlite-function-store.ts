import {
  formatTimestamp,
  type FunctionSummary,
  type FunctionVersionRecord,
  type FunctionVersionSummary,
  parseTimestamp,
} from '@dacapo/protocol';
import type { FunctionStore, NewFunctionVersion } from '../../../function-store.js';
import type { Connection } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';
import type { SqlParameter } from '../sql-value.js';

interface SummaryRow {
  name: string;
  version: number;
  entry: string;
  note: string | null;
  created_us: number;
  is_active: number;
}

interface VersionRow extends SummaryRow {
  source: string;
}

const SUMMARY = `v.name, v.version, v.entry, v.note, v.created_us, coalesce(a.version = v.version, 0) AS is_active`;
const FROM = `FROM function_versions v
  LEFT JOIN active_functions a ON a.account_id = v.account_id AND a.name = v.name
  WHERE v.account_id = ?`;

export class SqliteFunctionStore implements FunctionStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
  ) {}

  async addVersion(accountId: string, version: NewFunctionVersion): Promise<number> {
    const { name, source, entry, note, createdAt } = version;
    const [outcome] = await this.writer.write([
      {
        sql: `INSERT INTO function_versions(account_id, name, version, source, entry, note, created_us)
          SELECT ?1, ?2, coalesce(max(version), 0) + 1, ?3, ?4, ?5, ?6
          FROM function_versions WHERE account_id = ?1 AND name = ?2
          RETURNING version`,
        rows: [[accountId, name, source, entry, note, parseTimestamp(createdAt)]],
      },
    ]);
    return Number(outcome?.rows[0]?.['version']);
  }

  async activate(accountId: string, name: string, version: number): Promise<boolean> {
    const [outcome] = await this.writer.write([
      {
        sql: `INSERT INTO active_functions(account_id, name, version)
          SELECT account_id, name, version FROM function_versions WHERE account_id = ? AND name = ? AND version = ?
          ON CONFLICT(account_id, name) DO UPDATE SET version = excluded.version`,
        rows: [[accountId, name, version]],
      },
    ]);
    return (outcome?.changes ?? 0) > 0;
  }

  async list(accountId: string): Promise<FunctionSummary[]> {
    const rows = await this.reader.of(accountId).all<{
      name: string;
      active: number;
      versions: number;
      updated_us: number;
    }>(
      `SELECT v.name, max(a.version) AS active, count(*) AS versions, max(v.created_us) AS updated_us ${FROM}
        GROUP BY v.name HAVING active IS NOT NULL ORDER BY v.name`,
      [accountId],
    );
    return rows.map(({ name, active, versions, updated_us }) => ({
      name,
      active_version: active,
      version_count: versions,
      updated_at: formatTimestamp(updated_us),
    }));
  }

  async listVersions(accountId: string, name: string): Promise<FunctionVersionSummary[]> {
    const rows = await this.reader
      .of(accountId)
      .all<SummaryRow>(`SELECT ${SUMMARY} ${FROM} AND v.name = ? ORDER BY v.version DESC`, [accountId, name]);
    return rows.map(toSummary);
  }

  async findVersion(
    accountId: string,
    name: string,
    version: number | 'active' | 'newest',
  ): Promise<FunctionVersionRecord | undefined> {
    const [condition, parameters] = conditionOf(version);
    const [row] = await this.reader
      .of(accountId)
      .all<VersionRow>(
        `SELECT ${SUMMARY}, v.source ${FROM} AND v.name = ? ${condition} ORDER BY v.version DESC LIMIT 1`,
        [accountId, name, ...parameters],
      );
    return row && { ...toSummary(row), source: row.source };
  }
}

function conditionOf(version: number | 'active' | 'newest'): [sql: string, parameters: SqlParameter[]] {
  if (version === 'newest') return ['', []];
  return version === 'active' ? ['AND a.version = v.version', []] : ['AND v.version = ?', [version]];
}

function toSummary(row: SummaryRow): FunctionVersionSummary {
  return {
    name: row.name,
    version: row.version,
    entry: row.entry,
    ...(row.note !== null && { note: row.note }),
    created_at: formatTimestamp(row.created_us),
    is_active: row.is_active === 1,
  };
}
