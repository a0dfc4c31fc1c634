import { AcceptedOutcomes } from './accepted-outcomes.js';
import { Accounts } from './accounts.js';
import { ApiKeys } from './api-keys.js';
import { Arrivals } from './arrivals.js';
import { Audit } from './audit.js';
import { Copies } from './copies.js';
import { Datasets } from './datasets.js';
import { Decisions } from './decisions.js';
import { Deletions } from './deletions.js';
import { Forwards } from './forwards.js';
import { Functions } from './functions.js';
import { Indexes } from './indexes.js';
import { Media } from './media.js';
import { Members } from './members.js';
import { Retention } from './retention.js';
import { Scores } from './scores.js';
import { ShareLinks } from './share-links.js';
import { SignIns } from './sign-ins.js';
import { SkippedSpans } from './skipped-spans.js';
import { TestRuns } from './test-runs.js';
import type { MetaTransaction } from './transaction.js';
import { Transfers } from './transfers.js';

export const STORES = {
  accounts: Accounts,
  apiKeys: ApiKeys,
  members: Members,
  signIns: SignIns,
  shareLinks: ShareLinks,
  testRuns: TestRuns,
  accepted: AcceptedOutcomes,
  decisions: Decisions,
  datasets: Datasets,
  indexes: Indexes,
  functions: Functions,
  audit: Audit,
  deletions: Deletions,
  copies: Copies,
  retention: Retention,
  media: Media,
  scores: Scores,
  arrivals: Arrivals,
  forwards: Forwards,
  skippedSpans: SkippedSpans,
  transfers: Transfers,
};

export type StoreName = keyof typeof STORES;

/** A call of a store's method, as it is sent to the thread or connection that runs it. */
export interface StoreCall {
  store: string;
  method: string;
  values: readonly unknown[];
}

type Methods = Readonly<Record<string, (...values: readonly unknown[]) => Promise<unknown>>>;

export type Stores = Readonly<Record<string, new (db: MetaTransaction) => object>>;

/** Runs a method on an open transaction. */
export async function runMethod(
  db: MetaTransaction,
  { store, method, values }: StoreCall,
  stores: Stores = STORES,
): Promise<unknown> {
  const Store = stores[store];
  const methods = Store && (new Store(db) as Methods);
  if (methods?.[method] === undefined) throw new TypeError(`No store has the method ${store}.${method}`);
  return methods[method](...values);
}
