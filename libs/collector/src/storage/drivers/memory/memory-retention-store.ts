import type { RetentionPolicy } from '@dacapo/protocol';
import type { RetentionStore } from '../../retention-store.js';

export class MemoryRetentionStore implements RetentionStore {
  /** By account and key; the rule of the account has the empty key. */
  private readonly accounts = new Map<string, Map<string, number>>();

  get(accountId: string): Promise<RetentionPolicy> {
    const rules = [...(this.accounts.get(accountId) ?? [])].sort(([left], [right]) =>
      left < right ? -1 : 1,
    );
    const days = this.accounts.get(accountId)?.get('');
    return Promise.resolve({
      ...(days !== undefined && { days }),
      keys: rules
        .filter(([key]) => key !== '')
        .map(([trace_function_key, keyDays]) => ({ trace_function_key, days: keyDays })),
    });
  }

  set(accountId: string, key = '', days: number | null): Promise<void> {
    const rules = this.accounts.get(accountId) ?? new Map<string, number>();
    this.accounts.set(accountId, rules);
    if (days === null) rules.delete(key);
    else rules.set(key, days);
    return Promise.resolve();
  }

  listAccounts(): Promise<string[]> {
    return Promise.resolve(
      [...this.accounts].filter(([, rules]) => rules.size > 0).map(([accountId]) => accountId),
    );
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }
}
