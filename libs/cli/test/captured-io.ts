import type { CliIo } from '../src/io.js';

/** A process of a test's own: what was printed, and a way to press Ctrl+C. */
export class CapturedIo implements CliIo {
  out = '';
  err = '';
  readonly stdout = { write: (text: string) => (this.out += text) };
  readonly stderr = { write: (text: string) => (this.err += text) };
  private readonly interrupt = new AbortController();

  constructor(readonly env: CliIo['env'] = {}) {}

  untilStopped(): Promise<void> {
    return new Promise((resolve) => {
      this.interrupt.signal.addEventListener('abort', () => {
        resolve();
      });
    });
  }

  stop(): void {
    this.interrupt.abort();
  }
}
