import { type AccountDetail, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { AccountStore } from '../../../meta-store.js';
import type { Connection, Reader } from '../connection.js';

interface AccountRow {
  account_id: string;
  name: string;
  created_us: number;
}

/** All that an account owns but its keys. */
const OWNED = [
  'sign_in_tokens',
  'browser_sessions',
  'members',
  'audit_log',
  'dataset_members',
  'dataset_versions',
  'dataset_items',
  'datasets',
  'accepted_outcomes',
  'test_run_items',
  'test_run_selections',
  'test_runs',
  'documents',
  'indexes',
  'active_functions',
  'function_versions',
  'accounts',
];

export class SqliteAccountStore implements AccountStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
  ) {}

  async create(account: AccountDetail): Promise<void> {
    await this.writer.write([
      {
        sql: 'INSERT INTO accounts(account_id, name, created_us) VALUES (?, ?, ?)',
        rows: [[account.id, account.name, parseTimestamp(account.created_at)]],
      },
    ]);
  }

  async find(accountId: string): Promise<AccountDetail | undefined> {
    const [row] = await this.reader.all<AccountRow>('SELECT * FROM accounts WHERE account_id = ?', [
      accountId,
    ]);
    return row && toAccount(row);
  }

  async findFirst(): Promise<AccountDetail | undefined> {
    const [row] = await this.reader.all<AccountRow>(
      'SELECT * FROM accounts ORDER BY created_us, account_id LIMIT 1',
    );
    return row && toAccount(row);
  }

  async delete(accountId: string): Promise<boolean> {
    const outcomes = await this.writer.write(
      OWNED.map((table) => ({ sql: `DELETE FROM ${table} WHERE account_id = ?`, rows: [[accountId]] })),
    );
    return (outcomes.at(-1)?.changes ?? 0) > 0;
  }
}

function toAccount(row: AccountRow): AccountDetail {
  return { id: row.account_id, name: row.name, created_at: formatTimestamp(row.created_us) };
}
