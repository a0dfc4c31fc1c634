import { describeError, type CollectorLogger } from '../../../logger.js';
import { Connection, type ConnectionOptions } from './connection.js';

/** A log of about 32 MiB begins anew. */
const LOG_FRAMES = 8_000;
/** New frames that one step copies: under load, fewer steps would copy more, more steps the same pages again. */
const STEP_FRAMES = 4_000;
const FIRST_PAUSE_MS = 200;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** Frames that writers may wait for while the log is emptied. */
const FEW_FRAMES = 500;
/** How long readers are waited for while the log begins anew: writers wait as long. */
const READERS_TIMEOUT_MS = 20;
/** A log of 256 MiB waits longer, but not often: slow readers that overlap would let it grow without end. */
const LARGE_LOG_FRAMES = 64_000;
const LARGE_LOG_TIMEOUT_MS = 250;
const LARGE_LOG_EVERY_MS = 10_000;

/** Why {@link Checkpointer.empty} does not empty the log. */
export const READS_THE_LOG =
  'a reader that opened the database before, such as a backup or `dacapo check`, to finish';

interface Progress {
  /** Whether a reader or writer hindered it. */
  busy: number;
  /** Frames in the log, and those of them that are in the database; -1 without a log. */
  log: number;
  checkpointed: number;
}

/**
 * Copies the write-ahead log into the database in small steps, on a connection of its own, so that no writer does. It begins the
 * log anew when nobody reads in it.
 */
export class Checkpointer {
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private pauseMs = FIRST_PAUSE_MS;
  private lastLog = 0;
  private waitedMs = -Infinity;
  private isStopped = false;

  private constructor(
    private readonly connection: Connection,
    private readonly logger: Readonly<CollectorLogger> | undefined,
  ) {}

  static async open(options: Pick<ConnectionOptions, 'path' | 'logger' | 'onLost'>): Promise<Checkpointer> {
    const pragmas = ['wal_autocheckpoint = 0', 'synchronous = FULL', `busy_timeout = ${READERS_TIMEOUT_MS}`];
    return new Checkpointer(await Connection.open({ ...options, pragmas }), options.logger);
  }

  /** There is something in the log: a step is made soon. It keeps no process up. */
  wake(): void {
    if (this.isStopped) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.next(() => this.step()).catch((error: unknown) => {
        this.logger?.warn(
          `The log of the database was not emptied, and is tried again: ${describeError(error)}`,
        );
      });
    }, this.pauseMs).unref();
  }

  /** Copies what is in the log now, as far as readers allow. */
  async copy(): Promise<void> {
    await this.next(() => this.checkpoint('PASSIVE'));
  }

  /**
   * Empties the log, so that no byte of an earlier page is left in it. Readers of an earlier moment are not waited for, and writers wait
   * some milliseconds.
   *
   * @returns whether it is empty
   */
  empty(): Promise<boolean> {
    return this.next(async () => {
      const copied = await this.copyMost();
      if (copied.log > copied.checkpointed + FEW_FRAMES) return false;
      return (await this.checkpoint('TRUNCATE')).busy === 0;
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.turn;
    await this.connection.close();
  }

  private next<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.turn.then(work);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  private async step(): Promise<void> {
    const copied = await this.copyMost();
    const added = copied.log >= this.lastLog ? copied.log - this.lastLog : copied.log;
    this.lastLog = copied.log;
    const factor = added > 2 * STEP_FRAMES ? 0.5 : added < STEP_FRAMES / 2 ? 2 : 1;
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, this.pauseMs * factor));
    if (copied.log < LOG_FRAMES) return;
    // Until it begins anew, with or without another write.
    this.wake();
    if (copied.log > copied.checkpointed + FEW_FRAMES) return;
    await this.beginAnew(copied.log > LARGE_LOG_FRAMES);
  }

  private async beginAnew(isLarge: boolean): Promise<void> {
    const waitsLong = isLarge && performance.now() - this.waitedMs > LARGE_LOG_EVERY_MS;
    if (waitsLong) {
      this.waitedMs = performance.now();
      await this.connection.all(`PRAGMA busy_timeout = ${LARGE_LOG_TIMEOUT_MS}`);
    }
    // Overwriting a file is cheaper than letting it grow again.
    const { busy } = await this.checkpoint(isLarge ? 'TRUNCATE' : 'RESTART');
    if (busy === 0) this.lastLog = 0;
    if (waitsLong) await this.connection.all(`PRAGMA busy_timeout = ${READERS_TIMEOUT_MS}`);
  }

  /** What is written during the first copy is copied by the second, which is shorter. */
  private async copyMost(): Promise<Progress> {
    const first = await this.checkpoint('PASSIVE');
    return first.log > first.checkpointed + FEW_FRAMES ? this.checkpoint('PASSIVE') : first;
  }

  private async checkpoint(mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): Promise<Progress> {
    const [progress] = await this.connection.all<Progress>(`PRAGMA wal_checkpoint(${mode})`);
    return progress ?? { busy: 1, log: -1, checkpointed: -1 };
  }
}
