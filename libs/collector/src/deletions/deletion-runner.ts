import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CollectorLogger, describeError } from '../logger.js';
import { Turns } from '../memory/turns.js';
import { MetaStore } from '../storage/meta-store.js';
import { DeletionScrubber } from './deletion-scrubber.js';
import { DeletionSteps } from './deletion-steps.js';

const TRIED_AGAIN_EVERY_MS = 60_000;

/**
 * Does the deletions of all accounts in the background, one step after another. Those that somebody asked for come before those of a
 * rule, at the next step. A deletion that was running when the process died continues at the next start.
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
    private readonly turns: Turns,
    private readonly logger: CollectorLogger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.wake();
    }, TRIED_AGAIN_EVERY_MS).unref();
    this.wake();
  }

  /** The step that is under way ends; the next one is for the next start. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.working;
  }

  /** Looks whether there is something to do. */
  wake(): void {
    this.isWoken = true;
    this.working ??= this.work();
  }

  /** Resolves when nothing is left to do, or could be done. */
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
        await this.doAll();
      }
    } catch (error) {
      this.logger.error(`Deletions wait, and are tried again within a minute: ${describeError(error)}`);
    } finally {
      this.working = undefined;
    }
  }

  private async doAll(): Promise<void> {
    for (;;) {
      await this.turns.next();
      if (this.isStopped) return;
      const next = await this.meta.deletions.findNext();
      if (next === undefined) {
        this.scrubber.wake();
        return;
      }
      try {
        const { progress } = await this.steps.next(next);
        if (progress.isRemoved) this.scrubber.wake();
      } catch (error) {
        await this.steps.fail(next, messageOf(error));
        throw error;
      }
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
