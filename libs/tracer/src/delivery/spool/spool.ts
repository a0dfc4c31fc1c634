import {
  closeSync,
  ftruncateSync,
  openSync,
  promises,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { Batch, SpoolFile } from '../batching/batch.js';
import type { Quarantine } from './quarantine.js';
import type { SpoolFolder } from './spool-folder.js';
import { framedLength, frameLines, type ParsedFile, parseFrames } from './spool-format.js';

const SCRATCH_BYTES = 64 * 1024;
const RETRY_AFTER_MS = 30_000;

/** Writes batches to files, one each, and reads them back. */
export class Spool {
  /** Size of the files of this thread. */
  bytes = 0;
  /** Size of the files of all others, as last seen. */
  othersBytes = 0;
  /** Size of the files from the latest takeover. */
  takenBytes = 0;
  private files = 0;
  /** Files that are being removed. */
  private readonly going = new Set<string>();
  private usableAtMs = 0;
  private scratch: Buffer | undefined;

  /** @param onFailure called when a file cannot be written; the next attempt is half a minute later */
  constructor(
    readonly folder: SpoolFolder,
    private readonly quarantined: Quarantine,
    private readonly nowMs: () => number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  get isEmpty(): boolean {
    return this.files === 0;
  }

  /**
   * Writes the records that the batch's file lacks. When it returns, the kernel has them, so the process may be killed.
   *
   * @param keepOpen whether more records of this batch follow
   * @returns whether the file holds the whole batch
   */
  save(batch: Batch, keepOpen = false): boolean {
    const { content } = batch;
    if (content === undefined) return batch.file !== undefined;
    if (this.nowMs() < this.usableAtMs) return batch.isStored;
    try {
      const file = (batch.file ??= this.create(batch.id));
      if (file.savedLength < content.length) {
        this.append(file, content.bytes.subarray(file.savedLength, content.length));
        file.savedLength = content.length;
      }
      if (!keepOpen) close(file);
      return true;
    } catch (error) {
      this.usableAtMs = this.nowMs() + RETRY_AFTER_MS;
      this.onFailure(error);
      return false;
    }
  }

  /**
   * Moves a batch that the service refused with `status` to the quarantine in one step: a process that is killed meanwhile
   * leaves it in one of the two places.
   *
   * @returns whether it is there
   */
  quarantine(batch: Batch, status: number): boolean {
    if (!this.save(batch) || batch.file === undefined) return false;
    const { file } = batch;
    try {
      const path = this.quarantined.preparePath(batch.id, status);
      renameSync(file.path, path);
      this.quarantined.onAdded(path, file.bytes);
    } catch (error) {
      this.onFailure(error);
      return false;
    }
    batch.file = undefined;
    this.forget(file);
    return true;
  }

  /** Forgets the pause after a failure. */
  tryAgain(): void {
    this.usableAtMs = 0;
  }

  /** @throws errors of the file system */
  async read(file: SpoolFile): Promise<ParsedFile> {
    return parseFrames(await promises.readFile(file.path));
  }

  /** Counts a file that was moved in from another folder. */
  takeIn(path: string, bytes: number): SpoolFile {
    this.files++;
    this.bytes += bytes;
    this.takenBytes += bytes;
    this.othersBytes = Math.max(0, this.othersBytes - bytes);
    return { path, bytes, savedLength: 0, descriptor: undefined };
  }

  /** Reads the body of a batch that is only in a file, as far as possible. For the end, when nothing asynchronous runs. */
  readNow({ file }: Batch): Buffer | undefined {
    if (file === undefined) return undefined;
    try {
      const parsed = parseFrames(readFileSync(file.path));
      // The next process moves damaged parts aside and reports them.
      return parsed.damaged.length === 0 ? parsed.body : undefined;
    } catch {
      return undefined;
    }
  }

  /** Removes a batch's file. @param isAtEnd whether nothing asynchronous runs any longer */
  remove(batch: Batch, isAtEnd = false): void {
    const { file } = batch;
    if (file === undefined) return;
    batch.file = undefined;
    this.forget(file);
    if (isAtEnd) {
      rmSync(file.path, { force: true });
      return;
    }
    const { path } = file;
    this.going.add(path);
    promises
      .unlink(path)
      .catch(() => undefined)
      .finally(() => this.going.delete(path));
  }

  /** Waits for pending removals, so that the folder can be removed. */
  finishRemovals(): void {
    for (const path of this.going) {
      try {
        rmSync(path, { force: true });
      } catch {
        // The next process finds it, and the service already knows its records.
      }
    }
  }

  /** Stops counting a file that another process removed. */
  forget(file: SpoolFile): void {
    close(file);
    this.files--;
    this.bytes -= file.bytes;
  }

  private create(batchId: string): SpoolFile {
    this.folder.ensure();
    const path = this.folder.toPath(batchId);
    const descriptor = openSync(path, 'a', 0o600);
    this.files++;
    return { path, bytes: 0, savedLength: 0, descriptor };
  }

  private append(file: SpoolFile, lines: Buffer): void {
    const descriptor = (file.descriptor ??= openSync(file.path, 'a', 0o600));
    const framed = this.frame(lines);
    try {
      for (let from = 0; from < framed.length;) from += writeSync(descriptor, framed, from);
    } catch (error) {
      ftruncateSync(descriptor, file.bytes);
      close(file);
      throw error;
    }
    file.bytes += framed.length;
    this.bytes += framed.length;
  }

  private frame(lines: Buffer): Buffer {
    const framedBytes = framedLength(lines.length, countLines(lines));
    const target =
      framedBytes <= SCRATCH_BYTES
        ? (this.scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES))
        : Buffer.allocUnsafeSlow(framedBytes);
    return target.subarray(0, frameLines(lines, target));
  }
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(0x0a); at !== -1; at = lines.indexOf(0x0a, at + 1)) count++;
  return count;
}

function close(file: SpoolFile): void {
  if (file.descriptor === undefined) return;
  const { descriptor } = file;
  file.descriptor = undefined;
  closeSync(descriptor);
}
