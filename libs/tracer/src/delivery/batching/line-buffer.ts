import type { ByteString } from '../../byte-string.js';

const NEWLINE = 0x0a;
const BUFFERS_KEPT_WHILE_BUSY = 16;
const BUFFERS_KEPT_WHILE_IDLE = 2;
const RECORD_START = /^\{"(?:span|trace|score|media)":\{"id":"([0-9a-f-]{16,64})"/;
export const RECORD_START_LENGTH = 96;

/** Lines as UTF-8 in one block of memory, each with its newline. The content is a complete NDJSON body. */
export class LineBuffer {
  /** Bytes in use. */
  length = 0;
  lines = 0;

  constructor(readonly bytes: Buffer) {}

  /** @returns `false`, without writing, if the whole line does not fit */
  write(line: ByteString): boolean {
    const start = this.length;
    const end = start + line.length;
    if (end >= this.bytes.length) return false;
    this.bytes.write(line, start, 'latin1');
    this.bytes[end] = NEWLINE;
    this.length = end + 1;
    this.lines++;
    return true;
  }

  /** The written part, without a copy. */
  view(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

/** The lines of a body, each with its newline, without copies. */
export function* splitLines(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length;) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline === -1 ? body.length : newline + 1;
    yield body.subarray(start, end);
    start = end;
  }
}

/** The id of the span, trace, score or media that a line holds; `undefined` when it does not start as a record does. */
export function readRecordId(line: Buffer): string | undefined {
  return RECORD_START.exec(line.toString('latin1', 0, RECORD_START_LENGTH))?.[1];
}

/** Lends blocks of memory of one size outside the heap, and reuses them. */
export class BufferPool {
  private readonly free: Buffer[] = [];

  constructor(readonly bufferBytes: number) {}

  take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  /** The caller must not touch `buffer` again. Blocks of another size are left to the garbage collector. */
  give(buffer: Buffer): void {
    if (buffer.length === this.bufferBytes && this.free.length < BUFFERS_KEPT_WHILE_BUSY)
      this.free.push(buffer);
  }

  /** Nothing waits any longer: releases memory, except for what a steady trickle needs. */
  shrink(): void {
    this.free.length = Math.min(this.free.length, BUFFERS_KEPT_WHILE_IDLE);
  }
}
