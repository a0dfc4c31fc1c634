import { type AccountDetail, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { MetaTransaction } from './transaction.js';

interface AccountRow {
  account_id: string;
  name: string;
  created_us: number;
}

const SIGN_INS = ['sign_in_tokens', 'browser_sessions', 'members', 'share_links'];

const OF_ACCOUNT = 'account_id = :accountId';
const OF_DATASETS = `dataset_no IN (SELECT dataset_no FROM datasets WHERE ${OF_ACCOUNT})`;
const OF_DOCUMENTS = `document_no IN (SELECT document_no FROM documents WHERE ${OF_ACCOUNT})`;

/** Tables of what an account owns, with their primary keys. Its API keys and deletions are handled separately. */
const OWNED: readonly [table: string, key: string, condition?: string][] = [
  ['scores', 'score_no'],
  ['deleted_traces', 'account_id, trace_id'],
  ['deleted_groups', 'account_id, digest'],
  ['media_uses', 'account_id, media_id, trace_id'],
  ['media', 'media_no'],
  ['share_links', 'link_id'],
  ['audit_log', 'entry_no'],
  ['forwards', 'forward_no'],
  ['skipped_spans', 'skipped_no'],
  ['retention_rules', 'account_id, trace_function_key'],
  ['dataset_members', 'dataset_no, item_no, since', OF_DATASETS],
  ['dataset_versions', 'dataset_no, version', OF_DATASETS],
  ['dataset_items', 'item_no', OF_DATASETS],
  ['datasets', 'dataset_no'],
  ['accepted_outcomes', 'accepted_no'],
  ['test_run_decisions', 'account_id, test_run_id, decision_no'],
  ['ignored_paths', 'account_id, trace_function_key, path'],
  ['test_run_items', 'account_id, test_run_id, item_no, repetition'],
  ['test_run_selections', 'account_id, test_run_id, item_no'],
  ['test_runs', 'account_id, test_run_id'],
  ['section_vectors', 'section_no', OF_DOCUMENTS],
  ['sections', 'section_no', OF_DOCUMENTS],
  ['documents', 'document_no'],
  ['indexes', 'index_no'],
  ['active_functions', 'account_id, name'],
  ['function_activations', 'account_id, name, activation_no'],
  ['function_versions', 'account_id, name, version'],
];

export class Accounts {
  static readonly writes = ['create', 'delete', 'deleteOwned'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async create({ id, name, created_at }: AccountDetail): Promise<void> {
    await this.db.insert('accounts', { account_id: id, name, created_us: parseTimestamp(created_at) });
  }

  async find(accountId: string): Promise<AccountDetail | undefined> {
    const sql = `SELECT * FROM accounts WHERE ${OF_ACCOUNT}`;
    return toAccount(await this.db.get<AccountRow>(sql, { accountId }));
  }

  /** The account that was created first. */
  async findFirst(): Promise<AccountDetail | undefined> {
    const sql = 'SELECT * FROM accounts ORDER BY created_us, account_id LIMIT 1';
    return toAccount(await this.db.get<AccountRow>(sql));
  }

  /** Deletes the account and its sign-ins, which ends all access. Its keys stay, so that they are not reported as unknown. */
  async delete(accountId: string): Promise<boolean> {
    for (const table of SIGN_INS)
      await this.db.run(`DELETE FROM ${table} WHERE ${OF_ACCOUNT}`, { accountId });
    return (await this.db.run(`DELETE FROM accounts WHERE ${OF_ACCOUNT}`, { accountId })) > 0;
  }

  /**
   * Deletes up to `most` rows of what the account owned. Its deletions stay, and so do its keys, without their names. Repeatable.
   *
   * @returns whether nothing is left
   */
  async deleteOwned(accountId: string, most: number): Promise<boolean> {
    let left = most;
    for (const [table, key, condition = OF_ACCOUNT] of OWNED) {
      left -= await this.db.run(
        `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT :left)`,
        { accountId, left },
      );
      if (left <= 0) return false;
    }
    await this.db.run(`UPDATE api_keys SET name = '' WHERE ${OF_ACCOUNT}`, { accountId });
    return true;
  }
}

function toAccount(row: AccountRow | undefined): AccountDetail | undefined {
  return row && { id: row.account_id, name: row.name, created_at: formatTimestamp(row.created_us) };
}
