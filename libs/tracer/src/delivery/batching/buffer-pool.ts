const BUFFERS_KEPT = 4;

/** Hands out blocks of memory of one size outside the heap, and takes them back to be used again. */
export class BufferPool {
  private readonly free: Buffer[] = [];

  constructor(readonly bufferBytes: number) {}

  take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  /** The caller must not touch `buffer` again. Blocks of another size are left to the garbage collector. */
  give(buffer: Buffer): void {
    if (buffer.length === this.bufferBytes && this.free.length < BUFFERS_KEPT) this.free.push(buffer);
  }
}
