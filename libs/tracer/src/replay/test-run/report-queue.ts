import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultSpoolRoot } from '../../delivery/spool/default-spool-root.js';
import type { DeliveryOptions } from '../../options/delivery-options.js';

const MEMORY_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/** Where the reports of a run wait: beside the spool; `undefined` when that is switched off. */
export function reportFileOf(testRunId: string, { spool, spoolDir }: DeliveryOptions): string | undefined {
  if (spool === false) return undefined;
  const folder = spoolDir === undefined ? join(defaultSpoolRoot(), '..', 'runs') : join(spoolDir, 'runs');
  return join(folder, `${encodeURIComponent(testRunId)}.ndjson`);
}

/**
 * Lines that wait to be sent, in order: in memory, and when that is full in a file, which outlives the process.
 *
 * What the file held when it was opened comes first. Without a file all wait in memory.
 */
export class ReportQueue {
  private readonly lines: string[] = [];
  private bytes = 0;
  private readAt = 0;
  private fileBytes = 0;
  private linesInFile = 0;

  /** @param path `undefined`: no file */
  constructor(
    private readonly path: string | undefined,
    private readonly maxBytes = MEMORY_BYTES,
  ) {
    if (path === undefined || !existsSync(path)) return;
    this.fileBytes = statSync(path).size;
    this.linesInFile = this.countLines(path);
  }

  get isEmpty(): boolean {
    return this.lines.length === 0 && this.readAt >= this.fileBytes;
  }

  /** @throws when the file cannot be written */
  push(line: string): void {
    const isFull = this.bytes > this.maxBytes || this.fileBytes > this.readAt;
    if (this.path !== undefined && isFull) this.append([line]);
    else this.hold(line);
  }

  /** The first lines, at least one: so many at most, and so many bytes. They stay until they are dropped. */
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
    if (this.path === undefined || !this.isEmpty || this.fileBytes === 0) return;
    rmSync(this.path, { force: true });
    this.readAt = this.fileBytes = 0;
  }

  /** How many lines wait, of which those are that the file held before. */
  get size(): number {
    return this.lines.length + this.linesInFile;
  }

  /** Puts what is in memory into the file, if there is one. What was dropped before may be there again. */
  keep(): void {
    const held = this.lines.splice(0);
    this.bytes = 0;
    if (this.path !== undefined && held.length > 0) this.append(held);
  }

  private hold(line: string): void {
    this.lines.push(line);
    this.bytes += line.length;
  }

  private append(lines: readonly string[]): void {
    const path = this.path as string;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(path, 'a', 0o600);
    try {
      for (const line of lines) this.fileBytes += writeSync(file, `${line}\n`);
      this.linesInFile += lines.length;
    } finally {
      closeSync(file);
    }
  }

  /** Takes the next lines of the file into memory; a line that was not written to its end is left out. */
  private refill(): void {
    if (this.path === undefined || this.readAt >= this.fileBytes) return;
    const file = openSync(this.path, 'r');
    try {
      for (let size = READ_BYTES; ; size *= 2) {
        const chunk = Buffer.alloc(Math.min(size, this.fileBytes - this.readAt));
        const end = chunk.subarray(0, readSync(file, chunk, 0, chunk.length, this.readAt)).lastIndexOf(0x0a);
        const isAll = this.readAt + chunk.length >= this.fileBytes;
        if (end === -1 && !isAll) continue;
        for (const line of chunk.toString('utf8', 0, end + 1).split('\n')) {
          if (line === '') continue;
          this.hold(line);
          this.linesInFile--;
        }
        this.readAt = isAll ? this.fileBytes : this.readAt + end + 1;
        return;
      }
    } finally {
      closeSync(file);
    }
  }

  private countLines(path: string): number {
    const file = openSync(path, 'r');
    try {
      const chunk = Buffer.alloc(READ_BYTES);
      let lines = 0;
      for (let read = 0, at = 0; (read = readSync(file, chunk, 0, chunk.length, at)) > 0; at += read) {
        for (let i = chunk.indexOf(0x0a); i !== -1 && i < read; i = chunk.indexOf(0x0a, i + 1)) lines++;
      }
      return lines;
    } finally {
      closeSync(file);
    }
  }
}
