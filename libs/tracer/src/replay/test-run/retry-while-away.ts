import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceResponseError, ServiceUnreachableError } from '../../service/errors.js';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** Statuses of temporary refusals, after which the request may be repeated. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether a request may be repeated: it got no answer, or one from another server, such as a captive portal. */
export function isAway(error: unknown): boolean {
  if (error instanceof ServiceUnreachableError) return true;
  if (!(error instanceof ServiceResponseError)) return false;
  return error.status < 400 || error.status >= 500 || NOT_NOW.has(error.status);
}

/** The pause after a number of failures in a row, from 0. Half of it is random, so that many runs do not return at once. */
export function delayAfter(failures: number, random: () => number = Math.random): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
  return longest * (0.5 + random() / 2);
}

/**
 * Returns the result of `work`. While the service is away, it is retried for `timeoutMs` after the first failure.
 *
 * @param signal ends the attempts and throws the last failure
 * @throws the last error of `work`; immediately if the service is not away
 */
export async function retryWhileAway<T>(
  work: () => Promise<T>,
  { timeoutMs, nowMs, signal }: { timeoutMs: number; nowMs: () => number; signal?: AbortSignal | undefined },
): Promise<T> {
  let failedSinceMs: number | undefined;
  let failure: unknown;
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      // The failure before the abort says more than the aborted request.
      if (signal?.aborted === true) throw failure ?? error;
      failure = error;
      failedSinceMs ??= nowMs();
      const delayMs = delayAfter(failures);
      const isOver = nowMs() + delayMs - failedSinceMs > timeoutMs;
      if (!isAway(error) || isOver) throw error;
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
