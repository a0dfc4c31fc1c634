import type { RetentionPolicy } from '@dacapo/protocol';

/** How long each account keeps its traces. */
export interface RetentionStore {
  get(accountId: string): Promise<RetentionPolicy>;
  /** @param key absent: the rule of the account. @param days `null`: no rule */
  set(accountId: string, key: string | undefined, days: number | null): Promise<void>;
  /** Those with a rule. In any order. */
  listAccounts(): Promise<string[]>;
}
