import { type AccountDetail, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { AccountStore } from '../../../meta-store.js';
import type { Checkpointer } from '../checkpointer.js';
import type { Connection, Reader } from '../connection.js';
import type { PacedDeletes } from '../paced-deletes.js';

interface AccountRow {
  account_id: string;
  name: string;
  created_us: number;
}

const SIGN_INS = ['sign_in_tokens', 'browser_sessions', 'members'];

const OF_DATASETS = 'dataset_no IN (SELECT dataset_no FROM datasets WHERE account_id = ?)';

/** All else that an account owns but its keys and its deletions. */
const OWNED: readonly [table: string, condition?: string][] = [
  ['audit_log'],
  ['retention_rules'],
  ['dataset_members', OF_DATASETS],
  ['dataset_versions', OF_DATASETS],
  ['dataset_items', OF_DATASETS],
  ['datasets'],
  ['accepted_outcomes'],
  ['test_run_items'],
  ['test_run_selections'],
  ['test_runs'],
  ['documents'],
  ['indexes'],
  ['active_functions'],
  ['function_versions'],
];

export class SqliteAccountStore implements AccountStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
    private readonly deletes: PacedDeletes,
    private readonly checkpointer: Pick<Checkpointer, 'copy'>,
  ) {}

  async create(account: AccountDetail): Promise<void> {
    await this.writer.write([
      {
        sql: 'INSERT INTO accounts(account_id, name, created_us) VALUES (?, ?, ?)',
        rows: [[account.id, account.name, parseTimestamp(account.created_at)]],
      },
    ]);
    // A database that loses its log afterwards is known not to be new.
    await this.checkpointer.copy();
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

  async deleteOwned(accountId: string): Promise<void> {
    for (const [table, condition = 'account_id = ?'] of OWNED) {
      await this.deletes.all(table, condition, [accountId]);
    }
    await this.writer.write([
      { sql: `UPDATE api_keys SET name = '' WHERE account_id = ?`, rows: [[accountId]] },
    ]);
  }
}

function toAccount(row: AccountRow): AccountDetail {
  return { id: row.account_id, name: row.name, created_at: formatTimestamp(row.created_us) };
}
