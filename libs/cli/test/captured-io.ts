import { EventEmitter, once } from 'node:events';
import type { CliIo, StopSignal } from '../src/io.js';

/** A process of a test's own: what was printed, and a way to press Ctrl+C. */
export class CapturedIo implements CliIo {
  out = '';
  err = '';
  readonly stdout = {
    write: (text: string) => {
      this.out += text;
      this.printed.emit('out');
    },
  };
  readonly stderr = { write: (text: string) => (this.err += text) };
  private readonly printed = new EventEmitter();
  private readonly interrupt = new AbortController();

  constructor(readonly env: CliIo['env'] = {}) {}

  /** Resolves when something is printed to stdout after this call. */
  async nextOutput(): Promise<void> {
    await once(this.printed, 'out');
  }

  untilStopped(): Promise<StopSignal> {
    return new Promise((resolve) => {
      this.interrupt.signal.addEventListener('abort', () => {
        resolve('SIGINT');
      });
    });
  }

  hostApplication(): void {
    throw new Error('code of applications runs in processes of its own');
  }

  stop(): void {
    this.interrupt.abort();
  }
}
