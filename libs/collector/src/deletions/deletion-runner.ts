import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { errorMessage } from '../errors.js';
import { CollectorLogger, describeError } from '../logger.js';
import { Turns } from '../memory/turns.js';
import { Locks } from '../storage/coordination/locks.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { DeletionScrubber } from './deletion-scrubber.js';
import { DeletionSteps } from './deletion-steps.js';

const RETRY_INTERVAL_MS = 60_000;

/**
 * Runs the deletions of all accounts in the background, one step at a time, of all processes in one. Requested deletions come before those of retention rules.
 * A deletion that was running when the process died continues at the next start.
 */
@Injectable()
export class DeletionRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private working: Promise<void> | undefined;
  private isWoken = false;
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly meta: MetaStore,
    private readonly steps: DeletionSteps,
    private readonly scrubber: DeletionScrubber,
    private readonly locks: Locks,
    private readonly turns: Turns,
    private readonly logger: CollectorLogger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.wake();
    }, RETRY_INTERVAL_MS).unref();
    this.wake();
  }

  /** Waits for the current step. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.working;
  }

  /** Call when a deletion may be ready to run. */
  wake(): void {
    this.isWoken = true;
    this.working ??= this.work();
  }

  /** Resolves when no deletion is left to run, or one failed. */
  async idle(): Promise<void> {
    await this.working;
    await this.scrubber.idle();
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async work(): Promise<void> {
    try {
      while (this.isWoken && !this.isStopped) {
        this.isWoken = false;
        await this.locks.exclusively('deletions', (lost) => this.doAll(lost), this.stopping.signal);
      }
    } catch (error) {
      this.logger.error(`Deletions failed and are retried within a minute: ${describeError(error)}`);
    } finally {
      this.working = undefined;
    }
  }

  private async doAll(lost: AbortSignal): Promise<void> {
    for (;;) {
      await this.turns.next();
      if (this.isStopped) return;
      if (lost.aborted) {
        this.isWoken = true;
        return;
      }
      const next = await this.meta.deletions.findNext();
      if (next === undefined) {
        this.scrubber.wake();
        return;
      }
      try {
        const { progress } = await this.steps.next(next);
        if (progress.isRemoved) this.scrubber.wake();
      } catch (error) {
        await this.steps.fail(next, errorMessage(error));
        throw error;
      }
    }
  }
}
