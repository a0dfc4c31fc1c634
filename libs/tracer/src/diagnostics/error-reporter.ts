import type { TracerError } from '../errors.js';
import type { TracerLogger } from './logger.js';
import { Throttle } from './throttle.js';

/** A logger may be async and return a promise that rejects. */
type HostLogger = Record<'warn', (message: string) => unknown> & { debug?(message: string): unknown };

/** Receives errors that must not reach the caller. Never throws. */
export interface ErrorReporter {
  /** @param cause reported at most once a minute; default: the error's code */
  report(error: TracerError, cause?: string): void;
}

/**
 * Reports each cause to `onError` and the logger at most once a minute; repeats in between are only counted.
 *
 * It is also a logger: it wraps the application's logger, whose failures it ignores.
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

  /** Reports without throttling, for callers that throttle themselves. Never throws. */
  reportNow(error: TracerError): void {
    this.warn(`${error.code}: ${error.message}`);
    callHook(() => this.onError?.(error));
  }

  /** Writes a line to the application's logger. Never throws. */
  warn(message: string): void {
    callHook(() => this.logger.warn(message));
  }

  /** Writes a debug line, if the logger has `debug`. Never throws. */
  debug(message: string): void {
    callHook(() => this.logger.debug?.(message));
  }
}

/** A failing hook, sync or async, is not reported through the same hook. */
function callHook(hook: () => unknown): void {
  try {
    Promise.resolve(hook()).catch(() => undefined);
  } catch {
    // It failed now.
  }
}
