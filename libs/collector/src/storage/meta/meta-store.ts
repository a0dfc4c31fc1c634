import { formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import { randomUUID } from 'node:crypto';
import type { ChangedDataset, DatasetChange } from '../ports/dataset-change.js';
import { connectStore, type ConnectedStore } from './connect-store.js';
import type { MetaDatabase, StoreHealth } from './meta-database.js';

/** No request adds items to a dataset, and no child of a skipped span arrives, after this time. */
const DAY_MS = 24 * 3600 * 1000;

/**
 * Stores everything except spans: accounts, keys, members, sign-ins, test runs, decisions, accepted outcomes, datasets, indexes, native
 * functions, deletions, media, scores, the audit log, the queue of forwards, and what span stores in another database need.
 */
export class MetaStore {
  readonly accounts;
  readonly apiKeys;
  readonly members;
  readonly signIns;
  readonly shareLinks;
  readonly testRuns;
  readonly accepted;
  readonly decisions;
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
  readonly forwards;
  readonly skippedSpans;
  readonly transfers;

  constructor(private readonly database: MetaDatabase) {
    this.accounts = connectStore('accounts', database);
    this.apiKeys = connectStore('apiKeys', database);
    this.members = connectStore('members', database);
    this.signIns = connectStore('signIns', database);
    this.shareLinks = connectStore('shareLinks', database);
    this.testRuns = connectStore('testRuns', database);
    this.accepted = connectStore('accepted', database);
    this.decisions = connectStore('decisions', database);
    this.indexes = connectStore('indexes', database);
    this.functions = connectStore('functions', database);
    this.audit = connectStore('audit', database);
    this.deletions = connectStore('deletions', database);
    this.copies = connectStore('copies', database);
    this.retention = connectStore('retention', database);
    this.media = connectStore('media', database);
    this.scores = connectStore('scores', database);
    this.arrivals = connectStore('arrivals', database);
    this.forwards = connectStore('forwards', database);
    this.skippedSpans = connectStore('skippedSpans', database);
    this.transfers = connectStore('transfers', database);
    this.datasets = withChange(connectStore('datasets', database));
  }

  /** @throws StorageError if the store cannot be read or written; the class of the error is the reason */
  ping(): Promise<StoreHealth> {
    return this.database.ping();
  }

  /**
   * Removes deleted data from logs and files of the store. Tries once and delays no write.
   *
   * @returns a phrase that names what blocks it; `undefined` when nothing is left
   */
  scrub(): Promise<string | undefined> {
    return this.database.scrub();
  }

  /** Forgets deletions of all accounts after their `forgetAt`, and deletes staged items that a process left behind. */
  async forget(now: string): Promise<void> {
    await this.copies.forget(now);
    await this.datasets.forgetStaged(new Date(Date.now() - DAY_MS).toISOString());
    await this.skippedSpans.forget(formatTimestamp((parseTimestamp(now) ?? 0) - DAY_MS * 1000));
  }
}

function withChange(datasets: ConnectedStore<'datasets'>) {
  return {
    ...datasets,
    /**
     * Creates the next version, completely or not at all. An item replaces one with the same id; an equal item changes nothing. If
     * nothing changes, no version is created and the latest one is returned. Each part of the stream is staged in its own
     * transaction, and a last transaction creates the version.
     *
     * @returns `undefined` if the dataset does not exist, or was deleted during the change
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
