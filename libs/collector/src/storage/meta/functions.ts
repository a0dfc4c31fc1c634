import {
  formatTimestamp,
  type FunctionSummary,
  type FunctionVersionRecord,
  type FunctionVersionSummary,
  LIMITS,
  parseTimestamp,
} from '@dacapo/protocol';
import { withoutNulls } from './rows.js';
import type { MetaTransaction, Parameters } from './transaction.js';

export interface NewFunctionVersion {
  name: string;
  source: string;
  entry: string;
  note?: string;
  createdAt: string;
}

export interface Activation {
  version: number;
  activatedAt: string;
  /** Only if this version is active. */
  replaces?: number | undefined;
}

interface SummaryRow {
  name: string;
  version: number;
  entry: string;
  note: string | null;
  created_us: number;
  active: number | null;
}

interface ActivationRow {
  activation_no: number;
  version: number;
  activated_us: number;
}

interface VersionRow extends SummaryRow {
  source: string;
}

const SUMMARY = 'v.name, v.version, v.entry, v.note, v.created_us, a.version AS active';
const FROM = `FROM function_versions v
  LEFT JOIN active_functions a ON a.account_id = v.account_id AND a.name = v.name
  WHERE v.account_id = :accountId`;

/** Native functions: versions, which never change, and the active version of each. */
export class Functions {
  static readonly writes = ['addVersion', 'activate'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** Adds a version with the next number, from 1. Concurrent calls get different numbers. */
  async addVersion(accountId: string, { createdAt, ...added }: NewFunctionVersion): Promise<number> {
    const newest = await this.findVersion(accountId, added.name, 'newest');
    const version = (newest?.version ?? 0) + 1;
    await this.db.insert('function_versions', {
      account_id: accountId,
      version,
      name: added.name,
      source: added.source,
      entry: added.entry,
      note: added.note,
      created_us: parseTimestamp(createdAt),
    });
    return version;
  }

  /** Activates a version and stores when. `replaced`: another version than `replaces` is active. */
  async activate(
    accountId: string,
    name: string,
    { version, activatedAt, replaces }: Activation,
  ): Promise<'active' | 'unknown' | 'replaced'> {
    if ((await this.findVersion(accountId, name, version)) === undefined) return 'unknown';
    const active = await this.findVersion(accountId, name, 'active');
    if (replaces !== undefined && active?.version !== replaces) return 'replaced';
    if (active?.version === version) return 'active';
    const onConflict = 'ON CONFLICT(account_id, name) DO UPDATE SET version = excluded.version';
    await this.db.insert('active_functions', { account_id: accountId, name, version }, onConflict);
    const [newest] = await this.listActivations(accountId, name, 1);
    await this.db.insert('function_activations', {
      account_id: accountId,
      name,
      version,
      activation_no: (newest?.activation_no ?? 0) + 1,
      activated_us: parseTimestamp(activatedAt),
    });
    return 'active';
  }

  /** Functions with an active version, sorted by name. */
  async list(accountId: string): Promise<FunctionSummary[]> {
    const rows = await this.db.all<Omit<FunctionSummary, 'updated_at'> & { updated_us: number }>(
      `SELECT v.name, a.version AS active_version, count(*) AS version_count, max(v.created_us) AS updated_us ${FROM}
        AND a.version IS NOT NULL GROUP BY v.name, a.version ORDER BY v.name`,
      { accountId },
    );
    return rows.map(({ updated_us, ...row }) => ({ ...row, updated_at: formatTimestamp(updated_us) }));
  }

  /** Newest first. */
  async listVersions(accountId: string, name: string): Promise<FunctionVersionSummary[]> {
    const rows = await this.db.all<SummaryRow>(
      `SELECT ${SUMMARY} ${FROM} AND v.name = :name ORDER BY v.version DESC`,
      { accountId, name },
    );
    const activations = await this.listActivations(accountId, name, LIMITS.activations);
    return rows.map((row) => ({
      ...toSummary(row),
      activated_at: activations
        .filter(({ version }) => version === row.version)
        .map(({ activated_us }) => formatTimestamp(activated_us)),
    }));
  }

  /** The newest first. */
  private listActivations(accountId: string, name: string, limit: number): Promise<ActivationRow[]> {
    return this.db.all<ActivationRow>(
      `SELECT activation_no, version, activated_us FROM function_activations
        WHERE account_id = :accountId AND name = :name ORDER BY activation_no DESC LIMIT :limit`,
      { accountId, name, limit },
    );
  }

  async findVersion(
    accountId: string,
    name: string,
    version: number | 'active' | 'newest',
  ): Promise<FunctionVersionRecord | undefined> {
    const [condition, parameters] = conditionOn(version);
    const row = await this.db.get<VersionRow>(
      `SELECT ${SUMMARY}, v.source ${FROM} AND v.name = :name ${condition} ORDER BY v.version DESC LIMIT 1`,
      { accountId, name, ...parameters },
    );
    return row && { ...toSummary(row), source: row.source };
  }
}

function conditionOn(version: number | 'active' | 'newest'): [sql: string, parameters?: Parameters] {
  if (version === 'newest') return [''];
  return version === 'active' ? ['AND a.version = v.version'] : ['AND v.version = :version', { version }];
}

function toSummary({
  name,
  version,
  entry,
  note,
  created_us,
  active,
}: SummaryRow): Omit<FunctionVersionRecord, 'source'> {
  return withoutNulls({
    name,
    version,
    entry,
    note,
    created_at: formatTimestamp(created_us),
    is_active: active === version,
  });
}
