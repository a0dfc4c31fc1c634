import type { RetentionPolicy } from '@dacapo/protocol';
import type { MetaTransaction } from './transaction.js';

/** The rule of the account is stored under this name, which no key has. */
const OF_ACCOUNT = '';

/** Retention rules of accounts. */
export class Retention {
  static readonly writes = ['set'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async get(accountId: string): Promise<RetentionPolicy> {
    const rows = await this.db.all<{ trace_function_key: string; days: number }>(
      `SELECT trace_function_key, days FROM retention_rules WHERE account_id = :accountId
        ORDER BY trace_function_key`,
      { accountId },
    );
    const ofAccount = rows.find(({ trace_function_key }) => trace_function_key === OF_ACCOUNT);
    return { ...(ofAccount && { days: ofAccount.days }), keys: rows.filter((row) => row !== ofAccount) };
  }

  /** @param key default: the rule of the account. @param days `null` removes the rule */
  async set(accountId: string, key = OF_ACCOUNT, days: number | null): Promise<void> {
    const rule = { account_id: accountId, trace_function_key: key };
    if (days === null) {
      const ofRule = 'account_id = :account_id AND trace_function_key = :trace_function_key';
      await this.db.run(`DELETE FROM retention_rules WHERE ${ofRule}`, rule);
    } else {
      const onConflict = 'ON CONFLICT(account_id, trace_function_key) DO UPDATE SET days = excluded.days';
      await this.db.insert('retention_rules', { ...rule, days }, onConflict);
    }
  }

  /** Accounts with a rule, in any order. */
  async listAccounts(): Promise<string[]> {
    const rows = await this.db.all<{ account_id: string }>('SELECT DISTINCT account_id FROM retention_rules');
    return rows.map(({ account_id }) => account_id);
  }
}
