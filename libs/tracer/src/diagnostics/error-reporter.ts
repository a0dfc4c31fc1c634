import type { TracerError } from '../errors.js';
import type { TracerLogger } from './logger.js';

const REPEAT_AFTER_MS = 60_000;
const CAUSES_KEPT = 100;

/** A logger as it may be: an async one gives a promise, which may reject. */
type HostLogger = Record<'warn', (message: string) => unknown> & { debug?(message: string): unknown };

/** Takes errors that must not reach the caller. Never throws. */
export interface ErrorReporter {
  report(error: TracerError): void;
}

/**
 * Tells `onError` and the logger of each cause once a minute; repeats in between are counted, not told.
 *
 * It is a logger too: the host's, of which nothing comes back when it fails.
 */
export class ThrottledErrorReporter implements ErrorReporter, TracerLogger {
  private readonly toldAtMs = new Map<string, number>();

  constructor(
    private readonly logger: HostLogger,
    private readonly onError: ((error: TracerError) => void) | undefined,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  report(error: TracerError): void {
    const now = this.nowMs();
    const told = this.toldAtMs.get(error.code);
    if (told !== undefined && now - told < REPEAT_AFTER_MS) return;
    if (this.toldAtMs.size >= CAUSES_KEPT) this.toldAtMs.clear();
    this.toldAtMs.set(error.code, now);
    this.tell(error);
  }

  /** Tells at once: for those who see to the once a minute themselves. Never throws. */
  tell(error: TracerError): void {
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
