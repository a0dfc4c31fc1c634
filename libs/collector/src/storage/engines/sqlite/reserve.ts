import { rmSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StorageFullError } from '../../../errors.js';
import type { CollectorLogger } from '../../../logger.js';
import type { Connection } from './connection.js';

const CHUNK_BYTES = 1024 * 1024;
/** Delayed, because a short-lived process needs no reserve. */
const FIRST_TRY_MS = 5_000;
const NEXT_TRY_MS = 60_000;

/**
 * A file that reserves disk space for deletions on a full disk. While a deletion uses the space, nothing else is stored.
 */
export class Reserve {
  private timer: NodeJS.Timeout | undefined;
  private making: Promise<void> | undefined;
  private isStopped = false;
  /** Whether deletions use the space. */
  isUsed = false;

  private readonly path: string;

  constructor(
    databasePath: string,
    private readonly bytes: number,
    private readonly logger: Readonly<CollectorLogger> | undefined,
  ) {
    this.path = join(dirname(databasePath), 'dacapo.reserve');
    if (bytes === 0) rmSync(this.path, { force: true });
    else this.tryAfter(FIRST_TRY_MS);
  }

  /** A writer for deletions, which uses the reserve when the disk is full. */
  forDeletions(writer: Connection): Pick<Connection, 'write' | 'writeTimed'> {
    return {
      write: (...options) => this.spend(() => writer.write(...options)),
      writeTimed: (...options) => this.spend(() => writer.writeTimed(...options)),
    };
  }

  /** Runs a write that frees space. If the disk is full, repeats it with the reserve. */
  async spend<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StorageFullError) || !(await this.use())) throw error;
      return write();
    }
  }

  /** Reserves the space again after deletions. */
  async takeBack(): Promise<void> {
    if (this.isUsed) await this.make();
  }

  /** @throws StorageFullError while deletions use the space */
  refuseWhileUsed(): void {
    if (this.isUsed) throw new StorageFullError();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.making;
  }

  /** @returns whether there was a reserve to use */
  private async use(): Promise<boolean> {
    await this.making;
    const found = await readFileSize(this.path);
    if (found === 0) return false;
    this.isUsed = true;
    await rm(this.path, { force: true });
    this.logger?.warn(
      'The disk is full. Deletions use the reserved space; nothing else is stored until they are finished.',
    );
    return true;
  }

  private make(): Promise<void> {
    return (this.making ??= this.write().finally(() => {
      this.making = undefined;
      this.isUsed = false;
    }));
  }

  private async write(): Promise<void> {
    if ((await readFileSize(this.path)) >= this.bytes) return;
    try {
      const file = await open(this.path, 'w', 0o600);
      try {
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, this.bytes));
        for (let written = 0; written < this.bytes && !this.isStopped; written += chunk.length) {
          await file.write(chunk);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      if (this.isStopped) await rm(this.path, { force: true });
    } catch {
      await rm(this.path, { force: true });
      this.logger?.warn(
        `The disk has no space for the reserve of ${Math.round(this.bytes / CHUNK_BYTES)} MiB that deletions use when the disk is full.`,
      );
      this.tryAfter(NEXT_TRY_MS);
    }
  }

  private tryAfter(ms: number): void {
    if (this.isStopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.make(), ms).unref();
  }
}

/** 0 for a missing file. */
async function readFileSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
