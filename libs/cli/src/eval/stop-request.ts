import type { CliIo, StopSignal } from '../io.js';

/** Tracks whether the user asked to stop. */
export class StopRequest {
  stopped: StopSignal | undefined;
  private readonly controller = new AbortController();

  /** @param onStop called once, with the first signal */
  constructor(io: Pick<CliIo, 'untilStopped'>, onStop: () => void) {
    void io.untilStopped().then((signal) => {
      this.stopped = signal;
      onStop();
      this.controller.abort();
    });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }
}
