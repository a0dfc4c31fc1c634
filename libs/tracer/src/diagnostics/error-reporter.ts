import type { TracerError } from '../errors.js';
import type { TracerLogger } from './logger.js';
import { Throttle } from './throttle.js';

/** A logger as it may be: an async one gives a promise, which may reject. */
type HostLogger = Record<'warn', (message: string) => unknown> & { debug?(message: string): unknown };

/** Takes errors that must not reach the caller. Never throws. */
export interface ErrorReporter {
  /** @param cause what is told once a minute; default: the error's code */
  report(error: TracerError, cause?: string): void;
}

/**
 * Tells `onError` and the logger of each cause once a minute; repeats in between are counted, not told.
 *
 * It is a logger too: the host's, of which nothing comes back when it fails.
 */
export class ThrottledErrorReporter implements ErrorReporter, TracerLogger {
  private readonly throttle: Throttle;

  constructor(
    private readonly logger: HostLogger,
    private readonly onError: ((error: TracerError) => void) | undefined,
    nowMs: () => number = () => performance.now(),
  ) {
    this.throttle = new Throttle({ nowMs });
  }

  report(error: TracerError, cause: string = error.code): void {
    if (this.throttle.passes(cause)) this.reportNow(error);
  }

  /** Tells at once: for those who see to the once a minute themselves. Never throws. */
  reportNow(error: TracerError): void {
    this.warn(`${error.code}: ${error.message}`);
    callHook(() => this.onError?.(error));
  }

  /** Writes a line to the host's logger. Never throws. */
  warn(message: string): void {
    callHook(() => this.logger.warn(message));
  }

  /** The same, for a logger that has it. */
  debug(message: string): void {
    callHook(() => this.logger.debug?.(message));
  }
}

/** A hook of the host that fails, now or as a promise, is not told of it: through the same hook that would not help. */
function callHook(hook: () => unknown): void {
  try {
    Promise.resolve(hook()).catch(() => undefined);
  } catch {
    // It failed now.
  }
}
