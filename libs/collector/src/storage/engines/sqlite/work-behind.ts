/**
 * Work that is done behind ingest: begun some time after it was asked for, once however often it was. What is asked for meanwhile is
 * begun after it; what a failure leaves is done with what comes next.
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

  /** There may be something to do. It keeps no process up. */
  wake(): void {
    if (this.isStopped) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.isRunning) this.wake();
      else void this.run();
    }, this.pauseMs).unref();
  }

  /** One turn after another, whoever asks for it. */
  next<T>(take: () => Promise<T>): Promise<T> {
    const turn = this.turn.then(take);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Waits for the turn under way; nothing is begun any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.turn;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    // The store's health reports what hinders it.
    await this.work().catch(() => undefined);
    this.isRunning = false;
  }
}
