import { join } from 'node:path';
import type { TracerError } from '../../errors.js';
import type { Batch } from '../batching/batch.js';
import type { ResolvedDeliveryOptions } from '../../options/delivery-options.js';
import type { DropLog } from '../drop-log.js';
import { SpoolUnusableError } from '../errors.js';
import type { Timer, Timers } from '../timers.js';
import { defaultSpoolRoot } from './default-spool-root.js';
import { Orphans } from './orphans.js';
import { Quarantine } from './quarantine.js';
import { QUARANTINE, SpoolFolder } from './spool-folder.js';
import { Spool } from './spool.js';
import { type Adoption, StoredBatches } from './stored-batches.js';

const TOUCH_EVERY_MS = 60_000;
const LOOK_AGAIN_MS = 60_000;
/** More files of dead processes are fetched when fewer batches than this wait. */
const FEW_BATCHES = 8;

export interface SpoolKeeperSettings {
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly options: ResolvedDeliveryOptions;
  readonly timers: Timers;
  readonly drops: DropLog;
  readonly report: (error: TracerError) => void;
  readonly onAdopted: (adoption: Adoption) => void;
  /** Told when another process, believing this one dead, took its files. */
  readonly onDisowned: () => void;
}

/** Keeps house in the spool: takes over what dead processes left, and shows others that this thread lives. */
export class SpoolKeeper {
  readonly spool: Spool;
  private readonly folder: SpoolFolder;
  private readonly orphans: Orphans;
  private readonly stored: StoredBatches;
  private adopting: Promise<void> | undefined;
  private adoptedAtMs = 0;
  private isMoreToAdopt = false;
  private measureAtMs = Number.NEGATIVE_INFINITY;
  private touching: Timer | undefined;

  constructor(private readonly settings: SpoolKeeperSettings) {
    const { options, serviceUrl, apiKey, timers, drops, report } = settings;
    this.folder = new SpoolFolder(options.spoolDir ?? defaultSpoolRoot(), serviceUrl, apiKey, () => {
      this.touchLater();
    });
    const { shared } = this.folder;
    this.spool = new Spool(
      this.folder,
      () => timers.nowMs(),
      (error) => {
        report(new SpoolUnusableError(shared, error));
      },
    );
    const quarantine = new Quarantine(join(shared, QUARANTINE));
    this.orphans = new Orphans(this.folder);
    this.stored = new StoredBatches(this.spool, this.orphans, quarantine, drops);
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
        this.settings.onAdopted(adoption);
      })
      .catch(() => undefined)
      .finally(() => {
        this.adoptedAtMs = this.settings.timers.nowMs();
        this.adopting = undefined;
        void this.measureOthers();
      });
  }

  /** Looks again when there is reason to. @returns whether it does */
  adoptMore(batchesWaiting: number): boolean {
    const isDue = this.settings.timers.nowMs() - this.adoptedAtMs > LOOK_AGAIN_MS;
    if (this.adopting !== undefined || !(isDue || (this.isMoreToAdopt && batchesWaiting < FEW_BATCHES))) {
      return false;
    }
    this.adopt();
    return true;
  }

  /** The last chance to write: what failed before may go well now, and the folder may have been taken away. */
  lookBeforeEnd(): void {
    this.spool.tryAgain();
    if (!this.folder.touch()) this.settings.onDisowned();
  }

  /** Tidies up at the end; what is used after that comes back by itself. */
  leave(): void {
    if (this.spool.isEmpty) this.folder.removeIfEmpty();
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

  private touchLater(): void {
    this.touching?.cancel();
    this.touching = this.settings.timers.start(() => {
      if (this.spool.isEmpty) this.folder.removeIfEmpty();
      else if (this.folder.touch()) this.touchLater();
      else this.settings.onDisowned();
    }, TOUCH_EVERY_MS);
  }
}
