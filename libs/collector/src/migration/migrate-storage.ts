import type { Clock } from '../clock.js';
import {
  DeletionsOpenError,
  InvalidOptionError,
  NothingToCopyError,
  SpansNotFoundError,
  StorageHalfCopiedError,
  StorageNotEmptyError,
  StoragesDifferError,
} from '../errors.js';
import type { CollectorLogger } from '../logger.js';
import { type CollectorOptions, ResolvedOptions } from '../options.js';
import { databaseIn } from '../storage/engines/sqlite/maintenance/database-file.js';
import type { TracePosition } from '../storage/ports/span-store.js';
import type { Storage } from '../storage/storage.js';
import { copyRows, readPages } from './copy-rows.js';
import { copySpans } from './copy-spans.js';
import { digestStorage } from './digest-storage.js';

/** Where a collector stores: the options of `startCollector` that say so. */
export type StoragePlace = Pick<CollectorOptions, 'dataDir' | 'storage' | 'spans' | 'storageConnections'>;

export interface MigrationProgress {
  step: 'copy' | 'compare';
  /** The name of a table, or `spans`. */
  what: string;
  /** Rows and spans of this step so far. */
  done: number;
}

export interface MigrateStorageOptions {
  from: StoragePlace;
  to: StoragePlace;
  /** `true` copies a source without a span. Default: it is refused, for its spans may be in a database that `from` does not name. */
  withoutSpans?: boolean;
  onProgress?: (progress: MigrationProgress) => void;
  logger?: Readonly<CollectorLogger>;
}

export interface MigratedAccount {
  id: string;
  traces: number;
  spans: number;
  /** All rows that are not spans. */
  rows: number;
}

export interface MigratedStorage {
  /** Without passwords. */
  from: string;
  to: string;
  accounts: MigratedAccount[];
  /** Whether an earlier run, which did not end, began the copy. */
  resumed: boolean;
}

/**
 * Copies everything from one storage into an empty one, on whatever engines, and compares counts and checksums of each account in the end. A copy that was
 * killed continues when it is called again. Until it is done, no collector starts on the target.
 *
 * @throws InvalidOptionError when a place is invalid, or both are the same
 * @throws StorageNotEmptyError when the target holds something else than an unfinished copy of this source
 * @throws StorageHalfCopiedError when the target is an unfinished copy of another source, or the source is an unfinished copy
 * @throws NothingToCopyError when no collector ever stored in the source
 * @throws SpansNotFoundError when the source has no spans, without `withoutSpans`
 * @throws DeletionsOpenError when the source has deletions that are not done
 * @throws StoragesDifferError when the copy is not what the source is; it stays unfinished
 * @throws what `startCollector` throws about storage, such as DataDirectoryInUseError
 */
export async function migrateStorage({
  from,
  to,
  withoutSpans = false,
  onProgress,
  logger,
}: MigrateStorageOptions): Promise<MigratedStorage> {
  const [source, target] = [from, to].map((place) => resolvePlace(place, logger));
  if (source === undefined || target === undefined) throw new TypeError('Name both places.');
  if (source.data === target.data) {
    throw new InvalidOptionError('to', 'is the source', 'Name another database or folder.');
  }
  if (from.storage === undefined) databaseIn(source.dataDir);
  const opened = await source.openStorage();
  try {
    const copy = await target.openStorage();
    try {
      return await new Migration(opened, source.data, copy, target, onProgress).run(withoutSpans);
    } finally {
      await copy.close();
    }
  } finally {
    await opened.close();
  }
}

/** Where an unfinished copy of spans continues. */
interface Place {
  accountId: string;
  after?: TracePosition;
}

class Migration {
  private done = 0;

  constructor(
    private readonly source: Storage,
    private readonly sourceName: string,
    private readonly target: Storage,
    private readonly options: { readonly data: string; readonly clock: Readonly<Clock> },
    private readonly onProgress: MigrateStorageOptions['onProgress'],
  ) {}

  async run(withoutSpans: boolean): Promise<MigratedStorage> {
    await this.checkSource();
    const accountIds = await this.listAccounts();
    if (accountIds.length === 0) throw new NothingToCopyError(this.sourceName);
    if (!withoutSpans && !(await hasTraces(this.source, accountIds))) {
      throw new SpansNotFoundError(this.sourceName);
    }
    const begun = await this.begin(accountIds);
    if (begun === undefined || begun === '') {
      await copyRows(this.source.meta, this.target.meta, (table, rows) => {
        this.report('copy', table, rows);
      });
      await this.advance({ accountId: accountIds[0] ?? '' });
    }
    await this.copyAllSpans(accountIds, begun ? (JSON.parse(begun) as Place) : undefined);
    const accounts = await this.compare(accountIds);
    await this.target.meta.transfers.finish();
    return { from: this.sourceName, to: this.options.data, accounts, resumed: begun !== undefined };
  }

  private async checkSource(): Promise<void> {
    const unfinished = await this.source.meta.transfers.find();
    if (unfinished !== undefined) throw new StorageHalfCopiedError(this.sourceName, unfinished.source);
    if ((await this.source.meta.deletions.findNext()) !== undefined) {
      throw new DeletionsOpenError(this.sourceName);
    }
  }

  private async listAccounts(): Promise<string[]> {
    const ids: string[] = [];
    for await (const rows of readPages(this.source.meta, 'accounts')) {
      ids.push(...rows.map(({ account_id }) => String(account_id)));
    }
    return ids;
  }

  /** @returns where an earlier run came to; `undefined` when there was none */
  private async begin(accountIds: readonly string[]): Promise<string | undefined> {
    const { transfers } = this.target.meta;
    const begun = await transfers.find();
    if (begun?.source === this.sourceName) return begun.place;
    if (begun !== undefined) throw new StorageHalfCopiedError(this.options.data, begun.source);
    if (!(await transfers.isEmpty()) || (await hasTraces(this.target, accountIds))) {
      throw new StorageNotEmptyError(this.options.data);
    }
    await transfers.begin(this.sourceName);
    return undefined;
  }

  private async copyAllSpans(accountIds: readonly string[], begun: Place | undefined): Promise<void> {
    const first = begun === undefined ? 0 : Math.max(0, accountIds.indexOf(begun.accountId));
    for (const accountId of accountIds.slice(first)) {
      const after = accountId === begun?.accountId ? begun.after : undefined;
      const { source, target, options } = this;
      for await (const part of copySpans(source.spans, target.spans, accountId, options.clock, after)) {
        if (part.after !== undefined) await this.advance({ accountId, after: part.after });
        this.report('copy', 'spans', part.spans);
      }
    }
  }

  private async compare(accountIds: readonly string[]): Promise<MigratedAccount[]> {
    this.done = 0;
    const read = (what: string, count: number): void => {
      this.report('compare', what, count);
    };
    const { transfers } = this.source.meta;
    const mark = await transfers.markWrites();
    const expected = await digestStorage(this.source, accountIds, read);
    const copied = await digestStorage(this.target, accountIds, read);
    // What a collector writes behind the reader is in neither digest.
    const difference =
      expected.findDifference(copied) ??
      ((await transfers.markWrites()) === mark ? undefined : 'a collector wrote to the source meanwhile');
    if (difference !== undefined) throw new StoragesDifferError(this.options.data, difference);
    return accountIds.map((id) => ({
      id,
      traces: copied.count(id, 'traces'),
      spans: copied.count(id, 'spans'),
      rows: copied.countAll(id, ['traces', 'facts', 'spans']),
    }));
  }

  private advance(place: Place): Promise<void> {
    return this.target.meta.transfers.advance(JSON.stringify(place));
  }

  private report(step: MigrationProgress['step'], what: string, count: number): void {
    this.done += count;
    this.onProgress?.({ step, what, done: this.done });
  }
}

async function hasTraces({ spans }: Storage, accountIds: readonly string[]): Promise<boolean> {
  for (const accountId of accountIds) {
    const { traces } = await spans.listTraces(accountId, {}, { limit: 1 });
    if (traces.length > 0) return true;
  }
  return false;
}

function resolvePlace(place: StoragePlace, logger: MigrateStorageOptions['logger']): ResolvedOptions {
  return new ResolvedOptions({ ...place, reserveBytes: 0, ...(logger && { logger }) });
}
