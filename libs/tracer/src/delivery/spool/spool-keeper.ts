import { basename, join } from 'node:path';
import { realEpochMs } from '../../context/clock.js';
import type { TracerError } from '../../errors.js';
import type { Batch } from '../batching/batch.js';
import { DEFAULT_MAX_SPOOL_AGE_MS, type WorkingOptions } from '../../options/delivery-options.js';
import type { DropLog } from '../drop-log.js';
import { OtherKeyWaitingError, SpoolUnusableError } from '../errors.js';
import type { Timer, Timers } from '../timers.js';
import { defaultSpoolRoot } from './default-spool-root.js';
import { Orphans } from './orphans.js';
import { Quarantine, type RemovedFromQuarantine } from './quarantine.js';
import { folderName, SpoolFolder } from './spool-folder.js';
import { listSpoolFolders, purgeReports, purgeSpoolFolder } from './spool-folders.js';
import { Spool } from './spool.js';
import { type Adoption, StoredBatches } from './stored-batches.js';

const TOUCH_EVERY_MS = 60_000;
const LOOK_AGAIN_MS = 60_000;
/** More files of dead processes are fetched when fewer batches than this wait. */
const FEW_BATCHES = 8;

export interface SpoolKeeperSettings {
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly previousKeys: readonly string[];
  /** Names of folders whose files are to be sent too, under this key. */
  readonly takeFrom?: readonly string[] | undefined;
  readonly options: WorkingOptions;
  readonly timers: Timers;
  readonly drops: DropLog;
  readonly report: (error: TracerError) => void;
  readonly onAdopted: (adoption: Adoption) => void;
  /** Told of so many records of others that were removed, because they waited for too long. */
  readonly onExpired: (records: number) => void;
  /** Told of quarantined records that were deleted. */
  readonly onQuarantineRemoved: (removed: RemovedFromQuarantine) => void;
  /** Told each minute while there are files. */
  readonly onTouched: () => void;
  /** Told when another process, believing this one dead, took its files. */
  readonly onDisowned: () => void;
}

/** Keeps house in the spool: takes over what dead processes left, and shows others that this thread lives. */
export class SpoolKeeper {
  readonly spool: Spool;
  /** Not shown when an object of the tracer is printed: it holds the key. */
  readonly #settings: SpoolKeeperSettings;
  private readonly root: string;
  /** Folders of other keys whose files are sent too. */
  private readonly takenFrom: readonly string[];
  private readonly folder: SpoolFolder;
  private readonly quarantine: Quarantine;
  private readonly orphans: Orphans;
  private readonly stored: StoredBatches;
  private adopting: Promise<void> | undefined;
  private adoptedAtMs = 0;
  private isMoreToAdopt = false;
  private hasLookedElsewhere = false;
  private measureAtMs = Number.NEGATIVE_INFINITY;
  private touching: Timer | undefined;

  constructor(settings: SpoolKeeperSettings) {
    this.#settings = settings;
    const { options, serviceUrl, apiKey, timers, drops, report } = settings;
    const root = (this.root = options.spoolDir ?? defaultSpoolRoot());
    this.folder = SpoolFolder.of(root, serviceUrl, apiKey, () => {
      this.touchLater();
    });
    const previous = settings.previousKeys.map((key) => folderName(serviceUrl, key.trim()));
    const taken = [...previous, ...(settings.takeFrom ?? [])].map((name) => join(root, name));
    this.takenFrom = taken.filter((path) => path !== this.folder.shared);
    const { shared } = this.folder;
    const nowMs = () => timers.nowMs();
    const { maxSpoolAgeMs: maxAgeMs } = options;
    const quarantine = (this.quarantine = new Quarantine({
      shared,
      maxAgeMs,
      onRemoved: settings.onQuarantineRemoved,
    }));
    this.spool = new Spool(this.folder, quarantine, nowMs, (error) => {
      report(new SpoolUnusableError(shared, error));
    });
    this.orphans = new Orphans(this.folder, this.takenFrom);
    this.stored = new StoredBatches(this.spool, this.orphans, quarantine, drops, maxAgeMs, nowMs);
  }

  load(batch: Batch): Promise<Buffer | undefined> {
    return this.stored.load(batch);
  }

  /** Resolves when files of dead processes that were found are in line. */
  async adopted(): Promise<void> {
    await this.adopting;
  }

  /** Looks for files of dead processes. Never rejects. */
  adopt(): void {
    this.adopting ??= this.stored
      .adopt()
      .then((adoption) => {
        this.isMoreToAdopt = adoption.isMore;
        this.#settings.onAdopted(adoption);
      })
      .catch(() => undefined)
      .finally(() => {
        this.adoptedAtMs = this.#settings.timers.nowMs();
        this.adopting = undefined;
        void this.measureOthers();
        void this.lookElsewhere();
      });
  }

  /** Looks again when there is reason to. @returns whether it does */
  adoptMore(batchesWaiting: number): boolean {
    const isDue = this.#settings.timers.nowMs() - this.adoptedAtMs > LOOK_AGAIN_MS;
    if (this.adopting !== undefined || !(isDue || (this.isMoreToAdopt && batchesWaiting < FEW_BATCHES))) {
      return false;
    }
    this.adopt();
    return true;
  }

  /** The last chance to write: what failed before may go well now, and the folder may have been taken away. */
  lookBeforeEnd(): void {
    this.spool.tryAgain();
    if (!this.folder.touch()) this.#settings.onDisowned();
  }

  /** Tidies up at the end; what is used after that comes back by itself. */
  leave(): void {
    if (!this.spool.isEmpty) return;
    this.spool.finishRemovals();
    this.folder.leave();
  }

  /** Nobody waits for it: there may be very many files. */
  private async measureOthers(): Promise<void> {
    const { spool, adoptedAtMs } = this;
    if (adoptedAtMs < this.measureAtMs) return;
    this.measureAtMs = adoptedAtMs + LOOK_AGAIN_MS;
    const takenBefore = spool.takenBytes;
    const bytes = await this.orphans.othersBytes();
    spool.othersBytes = Math.max(0, bytes - (spool.takenBytes - takenBefore));
  }

  /**
   * Once: what waits under other keys of this service is told, and what waits there for too long is removed. So are reports
   * of test runs under this key, which the run sends that goes on with theirs.
   */
  private async lookElsewhere(): Promise<void> {
    if (this.hasLookedElsewhere) return;
    this.hasLookedElsewhere = true;
    await this.quarantine.keepBounds();
    const { options, serviceUrl, report, onExpired } = this.#settings;
    // Of files that belong to others no less is kept than they asked for by saying nothing.
    const maxAgeMs = Math.max(options.maxSpoolAgeMs, DEFAULT_MAX_SPOOL_AGE_MS);
    const mine = [this.folder.shared, ...this.takenFrom];
    for (const path of mine) {
      const { records } = await purgeReports(this.root, basename(path), options.maxSpoolAgeMs);
      if (records > 0) onExpired(records);
    }
    const others = async () =>
      (await listSpoolFolders(this.root)).filter(({ id }) => !mine.includes(join(this.root, id)));
    for (const { id, left, oldestAt = '' } of await others()) {
      if (left === 0 || realEpochMs() - Date.parse(oldestAt) <= maxAgeMs) continue;
      onExpired((await purgeSpoolFolder(this.root, id, maxAgeMs)).records);
    }
    const waiting = (await others()).filter((other) => other.serviceUrl === serviceUrl && other.left > 0);
    if (waiting.length > 0)
      report(new OtherKeyWaitingError(waiting.map(({ left, ...other }) => ({ ...other, files: left }))));
  }

  private touchLater(): void {
    this.touching?.cancel();
    this.touching = this.#settings.timers.start(() => {
      if (this.spool.isEmpty) this.leave();
      else if (this.folder.touch()) {
        this.#settings.onTouched();
        this.touchLater();
      } else this.#settings.onDisowned();
    }, TOUCH_EVERY_MS);
  }
}
