import { type AccountDetail, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { AccountStore } from '../../../meta-store.js';
import type { Connection, Reader } from '../connection.js';

interface AccountRow {
  account_id: string;
  name: string;
  created_us: number;
}

const SIGN_INS = ['sign_in_tokens', 'browser_sessions', 'members'];

const OF_DATASETS = 'dataset_no IN (SELECT dataset_no FROM datasets WHERE account_id = ?)';

/** All else that an account owns but its keys and its deletions: tables, what tells a row, and which rows are meant. */
const OWNED: readonly [table: string, key: string, condition?: string][] = [
  ['audit_log', 'entry_no'],
  ['retention_rules', 'account_id, trace_function_key'],
  ['dataset_members', 'dataset_no, item_no, since', OF_DATASETS],
  ['dataset_versions', 'dataset_no, version', OF_DATASETS],
  ['dataset_items', 'item_no', OF_DATASETS],
  ['datasets', 'dataset_no'],
  ['accepted_outcomes', 'accepted_no'],
  ['test_run_items', 'rowid'],
  ['test_run_selections', 'account_id, test_run_id, item_no'],
  ['test_runs', 'account_id, test_run_id'],
  ['documents', 'document_no'],
  ['indexes', 'index_no'],
  ['active_functions', 'account_id, name'],
  ['function_versions', 'rowid'],
];

/** Rows that go in one write, so that others wait for a short time only. */
const ROWS_IN_A_DELETE = 500;

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
      [...SIGN_INS, 'accounts'].map((table) => ({
        sql: `DELETE FROM ${table} WHERE account_id = ?`,
        rows: [[accountId]],
      })),
    );
    return (outcomes.at(-1)?.changes ?? 0) > 0;
  }

  async deleteOwned(accountId: string): Promise<boolean> {
    for (const [table, key, condition = 'account_id = ?'] of OWNED) {
      const [outcome] = await this.writer.write([
        {
          sql: `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?)`,
          rows: [[accountId, ROWS_IN_A_DELETE]],
        },
      ]);
      if (outcome?.changes === ROWS_IN_A_DELETE) return false;
    }
    return true;
  }
}

function toAccount(row: AccountRow): AccountDetail {
  return { id: row.account_id, name: row.name, created_at: formatTimestamp(row.created_us) };
}
