import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { CollectorLogger, describeError } from '../logger.js';
import { Locks } from '../storage/coordination/locks.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { DeletionSteps } from './deletion-steps.js';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * Completes deletions: a deletion is done when no store holds a byte of its deleted data. If a store has to wait, the scrubber retries
 * with growing pauses, and the deletion reports the reason.
 */
@Injectable()
export class DeletionScrubber implements BeforeApplicationShutdown {
  private working: Promise<void> | undefined;
  private isWoken = false;
  private readonly stopping = new AbortController();

  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly steps: DeletionSteps,
    private readonly locks: Locks,
    private readonly logger: CollectorLogger,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.working;
  }

  /** Call when a deletion may be ready to complete. */
  wake(): void {
    this.isWoken = true;
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
  }

  /** Resolves when no deletion is left to complete. */
  async idle(): Promise<void> {
    await this.working;
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping;
    let pauseMs = FIRST_PAUSE_MS;
    while (this.isWoken && !signal.aborted) {
      this.isWoken = false;
      const scrubbing = this.locks.exclusively('scrub', () => this.scrub(), signal);
      const waitingFor = await scrubbing.catch((error: unknown) => {
        this.logger.error(`Deletions cannot be completed and are retried: ${describeError(error)}`);
        return 'the database, which failed';
      });
      if (waitingFor === undefined) {
        pauseMs = FIRST_PAUSE_MS;
        continue;
      }
      this.isWoken = true;
      await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }

  /** @returns what it waits for, if anything */
  private async scrub(): Promise<string | undefined> {
    const removed = await this.meta.deletions.listRemoved();
    if (removed.length === 0) return undefined;
    for (const deletion of removed) await this.steps.deleteLate(deletion);
    const waitingFor = (await this.spans.deletions.scrub(this.stopping.signal)) ?? (await this.meta.scrub());
    if (this.stopping.signal.aborted) return undefined;
    for (const deletion of removed) await this.steps.endScrub(deletion, waitingFor);
    return waitingFor;
  }
}
