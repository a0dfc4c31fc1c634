const KEPT_WHILE_BUSY = 16;
const KEPT_WHILE_IDLE = 2;

/** Hands out blocks of memory of one size outside the heap, and takes them back to be used again. */
export class BufferPool {
  private readonly free: Buffer[] = [];

  constructor(readonly bufferBytes: number) {}

  take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  /** The caller must not touch `buffer` again. Blocks of another size are left to the garbage collector. */
  give(buffer: Buffer): void {
    if (buffer.length === this.bufferBytes && this.free.length < KEPT_WHILE_BUSY) this.free.push(buffer);
  }

  /** Nothing waits any more: gives memory back, but for what a steady trickle needs. */
  shrink(): void {
    this.free.length = Math.min(this.free.length, KEPT_WHILE_IDLE);
  }
}
