import type { RetentionPolicy } from '@dacapo/protocol';
import type { RetentionStore } from '../../../retention-store.js';
import type { Connection, Reader } from '../connection.js';

/** No key has this name: it is the rule of the account. */
const OF_ACCOUNT = '';

export class SqliteRetentionStore implements RetentionStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
  ) {}

  async get(accountId: string): Promise<RetentionPolicy> {
    const rows = await this.reader.all<{ trace_function_key: string; days: number }>(
      'SELECT trace_function_key, days FROM retention_rules WHERE account_id = ? ORDER BY trace_function_key',
      [accountId],
    );
    const ofAccount = rows.find(({ trace_function_key }) => trace_function_key === OF_ACCOUNT);
    return { ...(ofAccount && { days: ofAccount.days }), keys: rows.filter((row) => row !== ofAccount) };
  }

  async set(accountId: string, key = OF_ACCOUNT, days: number | null): Promise<void> {
    await this.writer.write([
      days === null
        ? {
            sql: 'DELETE FROM retention_rules WHERE account_id = ? AND trace_function_key = ?',
            rows: [[accountId, key]],
          }
        : {
            sql: `INSERT INTO retention_rules(account_id, trace_function_key, days) VALUES (?, ?, ?)
              ON CONFLICT(account_id, trace_function_key) DO UPDATE SET days = excluded.days`,
            rows: [[accountId, key, days]],
          },
    ]);
  }

  async listAccounts(): Promise<string[]> {
    const rows = await this.reader.all<{ account_id: string }>(
      'SELECT DISTINCT account_id FROM retention_rules',
    );
    return rows.map(({ account_id }) => account_id);
  }
}
