import { EventEmitter, once } from 'node:events';
import type { CliIo, StopSignal, TextSink } from '../src/io.js';

/** A process of a test's own: what was printed, and a way to press Ctrl+C. */
export class CapturedIo implements CliIo {
  out = '';
  err = '';
  readonly stdout: TextSink;
  readonly stderr = { write: (text: string) => (this.err += text) };
  private readonly printed = new EventEmitter();
  private readonly interrupt = new AbortController();

  /** What a person was asked, and what he says; `undefined`: nobody is there. */
  question = '';
  answer: boolean | undefined;
  /** What a person types when asked for a line. */
  typed: string | undefined;

  /** @param isTTY whether a person sees what is printed */
  constructor(
    readonly env: CliIo['env'] = {},
    isTTY = false,
  ) {
    const write = (text: string): void => {
      this.out += text;
      this.printed.emit('out');
    };
    this.stdout = { write, isTTY };
  }

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

  confirm(question: string): Promise<boolean | undefined> {
    this.question = question;
    return Promise.resolve(this.answer);
  }

  ask(question: string): Promise<string | undefined> {
    this.question = question;
    return Promise.resolve(this.typed);
  }

  hostApplication(): void {
    throw new Error('code of applications runs in processes of its own');
  }

  stop(): void {
    this.interrupt.abort();
  }
}
