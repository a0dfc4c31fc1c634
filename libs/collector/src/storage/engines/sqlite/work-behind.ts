/**
 * Runs work behind ingest, some time after the first request for it and once for all requests until then. Requests during the work start
 * it again. After a failure, the next run continues.
 */
export class WorkBehind {
  private timer: NodeJS.Timeout | undefined;
  private isRunning = false;
  private turn: Promise<unknown> = Promise.resolve();
  isStopped = false;

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly pauseMs: number,
  ) {}

  /** Requests a run. Does not keep the process alive. */
  wake(): void {
    if (this.isStopped) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.isRunning) this.wake();
      else void this.run();
    }, this.pauseMs).unref();
  }

  /** Runs turns one after another. */
  next<T>(take: () => Promise<T>): Promise<T> {
    const turn = this.turn.then(take);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Waits for the running turn and starts no other. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.turn;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    // The store's health reports the error.
    await this.work().catch(() => undefined);
    this.isRunning = false;
  }
}
