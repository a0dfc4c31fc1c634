import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch } from '../batching/batch.js';
import type { DropLog } from '../drop-log.js';
import { SpoolUnusableError } from '../errors.js';
import type { Timer, Timers } from '../timers.js';
import { defaultSpoolRoot } from './default-spool-root.js';
import { Orphans } from './orphans.js';
import { Quarantine, type RemovedFromQuarantine } from './quarantine.js';
import { folderName, SpoolFolder } from './spool-folder.js';
import { Spool } from './spool.js';
import { type Adoption, StoredBatches } from './stored-batches.js';
import type { sweepSpools, SweepSettings } from './sweep-spools.js';

const TOUCH_EVERY_MS = 60_000;
const LOOK_AGAIN_MS = 60_000;
/** Fetches more files of ended processes when fewer batches wait. */
const FEW_BATCHES = 8;

export interface SpoolKeeperSettings extends SweepSettings {
  readonly apiKey: string;
  readonly previousKeys: readonly string[];
  /** Names of folders whose files are sent too, with this key. */
  readonly takeFrom?: readonly string[] | undefined;
  readonly timers: Timers;
  readonly drops: DropLog;
  readonly onAdopted: (adoption: Adoption) => void;
  /** Called with the number of deleted quarantined records. */
  readonly onQuarantineRemoved: (removed: RemovedFromQuarantine) => void;
  /** Called each minute while files exist. */
  readonly onTouched: () => void;
  /** Called when another process took the files of this one because it seemed dead. */
  readonly onDisowned: () => void;
}

/** Maintains the spool: takes over files of ended processes, and shows others that this thread is alive. */
export class SpoolKeeper {
  readonly spool: Spool;
  /** Private, so that printing an object of the tracer does not show the key. */
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
  private sweeping: Promise<typeof sweepSpools | undefined> | undefined;
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

  /** Resolves when the found files of ended processes are queued. */
  async adopted(): Promise<void> {
    await this.adopting;
  }

  /** Searches for files of ended processes. Never rejects. */
  adopt(): void {
    this.sweeping ??= this.loadSweep();
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

  /** Searches again if needed. @returns whether it does */
  adoptMore(batchesWaiting: number): boolean {
    const isDue = this.#settings.timers.nowMs() - this.adoptedAtMs > LOOK_AGAIN_MS;
    if (this.adopting !== undefined || !(isDue || (this.isMoreToAdopt && batchesWaiting < FEW_BATCHES))) {
      return false;
    }
    this.adopt();
    return true;
  }

  /** The last chance to write: an earlier failure may be over, and the folder may have been removed. */
  lookBeforeEnd(): void {
    this.spool.tryAgain();
    if (!this.folder.touch()) this.#settings.onDisowned();
  }

  /** Cleans up at the end. A later use opens the spool again. */
  leave(): void {
    if (!this.spool.isEmpty) return;
    this.spool.finishRemovals();
    this.folder.leave();
    this.touching?.cancel();
  }

  /** Not awaited, because there may be very many files. */
  private async measureOthers(): Promise<void> {
    const { spool, adoptedAtMs } = this;
    if (adoptedAtMs < this.measureAtMs) return;
    this.measureAtMs = adoptedAtMs + LOOK_AGAIN_MS;
    const takenBefore = spool.takenBytes;
    const bytes = await this.orphans.othersBytes();
    spool.othersBytes = Math.max(0, bytes - (spool.takenBytes - takenBefore));
  }

  private async lookElsewhere(): Promise<void> {
    if (this.hasLookedElsewhere) return;
    this.hasLookedElsewhere = true;
    await this.quarantine.keepBounds();
    const sweepSpools = await this.sweeping;
    await sweepSpools?.(this.root, [this.folder.shared, ...this.takenFrom], this.#settings);
  }

  /** Loaded synchronously, because Jest loads nothing after a test. @returns `undefined` if no record was ever spooled */
  private async loadSweep(): Promise<typeof sweepSpools | undefined> {
    if (!existsSync(this.root)) return undefined;
    // Only a cleanup: the next process does the rest.
    const loaded = await import('./sweep-spools.js').catch(() => undefined);
    return loaded?.sweepSpools;
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
