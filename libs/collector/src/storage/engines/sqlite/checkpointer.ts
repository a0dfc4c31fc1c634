import { describeError, type CollectorLogger } from '../../../logger.js';
import { Connection, type ConnectionOptions, type Reader } from './connection.js';

/** Bytes of values after which the log is copied and restarts, at about 32 MiB. Copying earlier writes the same pages repeatedly. */
const COPY_BYTES = 16 * 1024 * 1024;
/** Bytes that a write adds besides its values, because the log contains each changed page completely. */
const WRITE_BYTES = 64 * 1024;
const LOOK_MS = 100;
/** A shorter log is copied after this time without a write. A long one is tried again after it. */
const PAUSE_MS = 1_000;
/** The maximum of frames whose copy writers may wait for. */
const FEW_FRAMES = 500;
/** At 64 MiB, readers kept the log from restarting with a write, so the checkpointer waits for them. */
const LONG_LOG_FRAMES = 16_000;
/** The maximum wait for readers while the log restarts. Writers wait as long. */
const READERS_TIMEOUT_MS = 20;
/** At 256 MiB, the wait is longer but rare. Otherwise slow readers that overlap would let the log grow without end. */
const LARGE_LOG_FRAMES = 64_000;
const LARGE_LOG_TIMEOUT_MS = 250;
const LARGE_LOG_EVERY_MS = 10_000;

/** The reason why {@link Checkpointer.empty} cannot empty the log. */
export const READS_THE_LOG =
  'a reader that opened the database before, such as a backup or `dacapo check`, to finish';

type Mode = 'PASSIVE' | 'RESTART' | 'TRUNCATE';

interface Progress {
  /** 1 if a reader or writer blocked it. */
  busy: number;
  /** Frames in the log, and how many of them were copied into the database; -1 without a log. */
  log: number;
  checkpointed: number;
}

/**
 * Copies the write-ahead log into the database on its own connection. The writer copies the last few frames between two writes, and
 * restarts the log with the next write if nobody reads it.
 */
export class Checkpointer {
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private writtenBytes = 0;
  private writtenMs = 0;
  private copiedMs = 0;
  private isLong = false;
  private waitedMs = -Infinity;
  private isStopped = false;

  private constructor(
    private readonly connection: Connection,
    private readonly writer: Reader,
    private readonly logger: Readonly<CollectorLogger> | undefined,
  ) {}

  static async open(
    options: Pick<ConnectionOptions, 'path' | 'logger' | 'onLost'>,
    writer: Reader,
  ): Promise<Checkpointer> {
    const pragmas = ['wal_autocheckpoint = 0', 'synchronous = FULL', `busy_timeout = ${READERS_TIMEOUT_MS}`];
    return new Checkpointer(await Connection.open({ ...options, pragmas }), writer, options.logger);
  }

  /** Reports new bytes in the log. Does not keep the process alive. */
  wake(bytes: number): void {
    this.writtenBytes += bytes + WRITE_BYTES;
    this.writtenMs = performance.now();
    this.schedule();
  }

  /** Copies the current log as far as readers allow. */
  async copy(): Promise<void> {
    await this.next(() => this.checkpoint('PASSIVE'));
  }

  /**
   * Empties the log, so that it contains no byte of an earlier page. Does not wait for readers of an earlier state. Writers wait some
   * milliseconds.
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

  private schedule(): void {
    if (this.isStopped) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.next(() => this.step()).catch((error: unknown) => {
        this.logger?.warn(
          `The database log was not emptied; the service tries again: ${describeError(error)}`,
        );
      });
    }, LOOK_MS).unref();
  }

  private async step(): Promise<void> {
    if (!this.isDue(performance.now())) {
      this.schedule();
      return;
    }
    this.writtenBytes = 0;
    const { log, checkpointed } = await this.copyMost();
    this.copiedMs = performance.now();
    this.isLong = log >= LONG_LOG_FRAMES;
    const isHeld = log > checkpointed + FEW_FRAMES;
    // Repeats until the log restarts, with or without another write.
    if (this.isLong || isHeld) this.schedule();
    if (isHeld) return;
    await this.writer.all(checkpoint('PASSIVE'));
    if (this.isLong) await this.beginAnew(log > LARGE_LOG_FRAMES);
  }

  private isDue(nowMs: number): boolean {
    if (this.writtenBytes >= COPY_BYTES) return true;
    return nowMs - Math.max(this.copiedMs, this.isLong ? 0 : this.writtenMs) >= PAUSE_MS;
  }

  private async beginAnew(isLarge: boolean): Promise<void> {
    const waitsLong = isLarge && performance.now() - this.waitedMs > LARGE_LOG_EVERY_MS;
    if (waitsLong) {
      this.waitedMs = performance.now();
      await this.connection.all(`PRAGMA busy_timeout = ${LARGE_LOG_TIMEOUT_MS}`);
    }
    // Overwriting a file is cheaper than growing it again.
    await this.checkpoint(isLarge ? 'TRUNCATE' : 'RESTART');
    if (waitsLong) await this.connection.all(`PRAGMA busy_timeout = ${READERS_TIMEOUT_MS}`);
  }

  /** The second, shorter copy contains what was written during the first. */
  private async copyMost(): Promise<Progress> {
    const first = await this.checkpoint('PASSIVE');
    return first.log > first.checkpointed + FEW_FRAMES ? this.checkpoint('PASSIVE') : first;
  }

  private async checkpoint(mode: Mode): Promise<Progress> {
    const [progress] = await this.connection.all<Progress>(checkpoint(mode));
    return progress ?? { busy: 1, log: -1, checkpointed: -1 };
  }
}

function checkpoint(mode: Mode): string {
  return `PRAGMA wal_checkpoint(${mode})`;
}
