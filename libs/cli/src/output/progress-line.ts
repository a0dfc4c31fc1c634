import type { CliIo } from '../io.js';

/** Progress on one line of a terminal. Prints nothing without a terminal. */
export class ProgressLine {
  private isShown = false;

  /** @param total `undefined` for no line at all */
  constructor(
    private readonly io: CliIo,
    private readonly total: number | undefined,
    private readonly noun = 'documents',
    private readonly every = 25,
  ) {}

  show(done: number): void {
    if (
      this.io.stderr.isTTY !== true ||
      this.total === undefined ||
      (done % this.every !== 0 && done !== this.total)
    )
      return;
    this.isShown = true;
    this.io.stderr.write(`\r\u001b[K${done} of ${this.total} ${this.noun}`);
  }

  clear(): void {
    if (this.isShown) this.io.stderr.write('\r\u001b[K');
    this.isShown = false;
  }
}
