import { Throttle } from '../diagnostics/throttle.js';
import type { TracerError } from '../errors.js';
import type { Timers } from './timers.js';

/** Reports errors after the current turn, when the application may call `stats()` and its counts add up. */
export class ErrorReports {
  private readonly waiting: TracerError[] = [];
  private readonly throttle: Throttle;

  constructor(
    timers: Timers,
    private readonly report: (error: TracerError) => void,
  ) {
    this.throttle = new Throttle(timers);
  }

  /** Reports the error, unless one with its code was reported within a minute. */
  readonly addOnce = (error: TracerError): void => {
    if (this.throttle.passes(error.code)) this.add(error);
  };

  readonly add = (error: TracerError): void => {
    if (this.waiting.push(error) > 1) return;
    queueMicrotask(() => {
      this.flush();
    });
  };

  /** Reports waiting errors now. */
  flush(): void {
    for (const error of this.waiting.splice(0)) this.report(error);
  }
}
