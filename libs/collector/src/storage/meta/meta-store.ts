import { randomUUID } from 'node:crypto';
import type { ChangedDataset, DatasetChange } from '../ports/dataset-change.js';
import { connectStore, type ConnectedStore } from './connect-store.js';
import type { MetaDatabase, StoreHealth } from './meta-database.js';

/** No request adds items to a dataset for so long. */
const STAGED_MS = 24 * 3600 * 1000;

/**
 * Where all is kept that is no span: accounts, keys, members, sign-ins, test runs, accepted outcomes, datasets, indexes, native functions,
 * deletions, media, scores, the audit log, and what span stores in a database of their own need.
 */
export class MetaStore {
  readonly accounts;
  readonly apiKeys;
  readonly members;
  readonly signIns;
  readonly testRuns;
  readonly accepted;
  readonly datasets;
  readonly indexes;
  readonly functions;
  readonly audit;
  readonly deletions;
  readonly copies;
  readonly retention;
  readonly media;
  readonly scores;
  readonly arrivals;
  readonly transfers;

  constructor(private readonly database: MetaDatabase) {
    this.accounts = connectStore('accounts', database);
    this.apiKeys = connectStore('apiKeys', database);
    this.members = connectStore('members', database);
    this.signIns = connectStore('signIns', database);
    this.testRuns = connectStore('testRuns', database);
    this.accepted = connectStore('accepted', database);
    this.indexes = connectStore('indexes', database);
    this.functions = connectStore('functions', database);
    this.audit = connectStore('audit', database);
    this.deletions = connectStore('deletions', database);
    this.copies = connectStore('copies', database);
    this.retention = connectStore('retention', database);
    this.media = connectStore('media', database);
    this.scores = connectStore('scores', database);
    this.arrivals = connectStore('arrivals', database);
    this.transfers = connectStore('transfers', database);
    this.datasets = withChange(connectStore('datasets', database));
  }

  /** @throws StorageError when the store cannot be read or written: the kind of error says why */
  ping(): Promise<StoreHealth> {
    return this.database.ping();
  }

  /**
   * Removes what was deleted from logs and files of the store. One try, which delays no write.
   *
   * @returns what it waits for, a phrase; undefined when nothing is left
   */
  scrub(): Promise<string | undefined> {
    return this.database.scrub();
  }

  /** Forgets deletions whose `forgetAt` has come, of all accounts, and items that a process left waiting for a version. */
  async forget(now: string): Promise<void> {
    await this.copies.forget(now);
    await this.datasets.forgetStaged(new Date(Date.now() - STAGED_MS).toISOString());
  }
}

function withChange(datasets: ConnectedStore<'datasets'>) {
  return {
    ...datasets,
    /**
     * Makes the next version, whole or not at all. An item takes the place of one of the same id; one that says the same as it changes
     * nothing. What leaves the latest version as it is makes no version: then that is the answer. The items of the stream wait in the
     * database, each part in a transaction of its own, until one more makes a version of them.
     *
     * @returns `undefined` when there is no such dataset, or when it was deleted meanwhile
     */
    async change(
      accountId: string,
      name: string,
      { add, ...details }: DatasetChange,
    ): Promise<ChangedDataset | undefined> {
      const datasetNo = await datasets.findNumber(accountId, name);
      if (datasetNo === undefined) return undefined;
      const change = { accountId, datasetNo, staged: `${new Date().toISOString()} ${randomUUID()}` };
      try {
        for await (const items of add) await datasets.stage(change, items);
        return await datasets.commitStaged(change, details);
      } finally {
        await datasets.unstage(change.staged);
      }
    },
  };
}
