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
/** More files of dead processes are fetched when fewer batches than this wait. */
const FEW_BATCHES = 8;

export interface SpoolKeeperSettings extends SweepSettings {
  readonly apiKey: string;
  readonly previousKeys: readonly string[];
  /** Names of folders whose files are to be sent too, under this key. */
  readonly takeFrom?: readonly string[] | undefined;
  readonly timers: Timers;
  readonly drops: DropLog;
  readonly onAdopted: (adoption: Adoption) => void;
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

  /** Resolves when files of dead processes that were found are in line. */
  async adopted(): Promise<void> {
    await this.adopting;
  }

  /** Looks for files of dead processes. Never rejects. */
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
    this.touching?.cancel();
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

  private async lookElsewhere(): Promise<void> {
    if (this.hasLookedElsewhere) return;
    this.hasLookedElsewhere = true;
    await this.quarantine.keepBounds();
    const sweepSpools = await this.sweeping;
    await sweepSpools?.(this.root, [this.folder.shared, ...this.takenFrom], this.#settings);
  }

  /** At once: Jest lets nothing be loaded after a test. @returns `undefined` where nobody ever spooled a record */
  private async loadSweep(): Promise<typeof sweepSpools | undefined> {
    if (!existsSync(this.root)) return undefined;
    // It only tidies up: what is not swept now is left to the next process.
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
