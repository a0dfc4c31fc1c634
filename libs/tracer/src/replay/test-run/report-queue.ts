import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { ReportFiles } from '../../delivery/spool/report-files.js';

const MEMORY_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** A file of lines with the reading position. */
interface LinesFile {
  readonly path: string;
  bytes: number;
  readAt: number;
  /** Number of unread lines. */
  linesLeft: number;
}

export interface ReportQueueParts {
  /** Absent: all lines wait in memory. */
  readonly files: ReportFiles | undefined;
  readonly maxBytes?: number;
  /** Called when a file cannot be written; the lines then stay in memory. */
  readonly onFailure: (error: unknown) => void;
}

/** Waiting lines in order: in memory, and beyond its limit in a file that survives the process. */
export class ReportQueue {
  private readonly lines: string[] = [];
  private bytes = 0;
  /** Files to read in order. The last one is also written, if it belongs to this run. */
  private readonly stored: LinesFile[];

  private constructor(
    private readonly parts: ReportQueueParts,
    earlier: readonly string[],
  ) {
    this.stored = earlier.map(openLines).filter((file) => file !== undefined);
  }

  /** Starts with the run's files of ended processes. */
  static async resume(parts: ReportQueueParts): Promise<ReportQueue> {
    return new ReportQueue(parts, (await parts.files?.takeOver()) ?? []);
  }

  static empty(parts: ReportQueueParts): ReportQueue {
    return new ReportQueue(parts, []);
  }

  get isEmpty(): boolean {
    return this.lines.length === 0 && !this.isAnyStored;
  }

  push(line: string): void {
    const { maxBytes = MEMORY_BYTES } = this.parts;
    if (this.bytes > maxBytes || this.isAnyStored) this.append([line]);
    else this.hold(line);
  }

  /** The first lines, at least one, up to the limits. They stay until they are dropped. */
  first(most: number, bytes: number): string[] {
    if (this.lines.length === 0) this.refill();
    const first: string[] = [];
    let size = 0;
    for (const line of this.lines) {
      size += line.length;
      if (first.length >= most || (first.length > 0 && size > bytes)) break;
      first.push(line);
    }
    return first;
  }

  drop(count: number): void {
    for (const line of this.lines.splice(0, count)) this.bytes -= line.length;
    if (this.isEmpty) for (const { path } of this.stored.splice(0)) rmSync(path, { force: true });
  }

  /** Number of waiting lines, and how many of them earlier files held. */
  get size(): number {
    return this.stored.reduce((sum, { linesLeft }) => sum + linesLeft, this.lines.length);
  }

  /** Shows other processes that the run continues. */
  touch(): void {
    this.parts.files?.touch();
  }

  /** Writes the lines in memory to the file, if any, for the process that resumes. Dropped lines may be in it again. */
  leave(): void {
    this.bytes = 0;
    if (this.lines.length > 0) this.append(this.lines.splice(0));
    this.parts.files?.leave();
  }

  private get isAnyStored(): boolean {
    return this.stored.some(({ readAt, bytes }) => readAt < bytes);
  }

  private hold(line: string): void {
    this.lines.push(line);
    this.bytes += line.length;
  }

  /** Writes to the file, or to memory without one. */
  private append(lines: readonly string[]): void {
    const { files, onFailure } = this.parts;
    if (files !== undefined) {
      try {
        files.ensure();
        this.write(files.path, lines);
        return;
      } catch (error) {
        onFailure(error);
      }
    }
    for (const line of lines) this.hold(line);
  }

  /** @throws errors of the file system; the file is then unchanged */
  private write(path: string, lines: readonly string[]): void {
    const descriptor = openSync(path, 'a', 0o600);
    try {
      let own = this.stored.find((file) => file.path === path);
      if (own === undefined) this.stored.push((own = { path, bytes: 0, readAt: 0, linesLeft: 0 }));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      try {
        for (let from = 0; from < bytes.length;) from += writeSync(descriptor, bytes, from);
      } catch (error) {
        ftruncateSync(descriptor, own.bytes);
        throw error;
      }
      own.bytes += bytes.length;
      own.linesLeft += lines.length;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Reads the next lines of the files into memory; skips an incomplete line. */
  private refill(): void {
    for (const file of this.stored) {
      while (this.lines.length === 0 && file.readAt < file.bytes) {
        try {
          for (const line of readLines(file)) this.hold(line);
        } catch (error) {
          // The file was removed, or the disk fails: reading again would not help.
          this.parts.onFailure(error);
          file.readAt = file.bytes;
        }
      }
    }
  }
}

/** The next lines of the file: one read, or as many as one line needs. @throws errors of the file system */
function readLines(file: LinesFile): string[] {
  const descriptor = openSync(file.path, 'r');
  try {
    for (let size = READ_BYTES; ; size *= 2) {
      const chunk = Buffer.alloc(Math.min(size, file.bytes - file.readAt));
      const end = chunk
        .subarray(0, readSync(descriptor, chunk, 0, chunk.length, file.readAt))
        .lastIndexOf(NEWLINE);
      const isAll = file.readAt + chunk.length >= file.bytes;
      if (end === -1 && !isAll) continue;
      const lines = chunk
        .toString('utf8', 0, end + 1)
        .split('\n')
        .slice(0, -1);
      file.linesLeft -= lines.length;
      file.readAt = isAll ? file.bytes : file.readAt + end + 1;
      return lines;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A file of an earlier process; `undefined` if it cannot be read. */
function openLines(path: string): LinesFile | undefined {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const chunk = Buffer.alloc(READ_BYTES);
      let linesLeft = 0;
      for (let read = 0, at = 0; (read = readSync(descriptor, chunk, 0, chunk.length, at)) > 0; at += read)
        for (let i = chunk.indexOf(NEWLINE); i !== -1 && i < read; i = chunk.indexOf(NEWLINE, i + 1))
          linesLeft++;
      return { path, bytes: fstatSync(descriptor).size, readAt: 0, linesLeft };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
