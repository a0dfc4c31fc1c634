import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceResponseError, ServiceUnreachableError } from '../../service/errors.js';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** Answers that say "not now": what they refuse may be asked again. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether nobody answered who may be asked again; of an answer that is none of the service's, as a portal's, too. */
export function isAway(error: unknown): boolean {
  if (error instanceof ServiceUnreachableError) return true;
  if (!(error instanceof ServiceResponseError)) return false;
  return error.status < 400 || error.status >= 500 || NOT_NOW.has(error.status);
}

/** The pause after so many failed tries in a row, from 0: half of it is random, so that many runs do not come back as one. */
export function delayAfter(failures: number, random: () => number = Math.random): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
  return longest * (0.5 + random() / 2);
}

/**
 * What `work` gives; while the service is away it is tried again, for `timeoutMs` since the first failure.
 *
 * @param signal ends the tries: the last failure is thrown
 * @throws what it threw last; at once, when the service is not away
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
      // A request that the signal aborted says less than the failure before it.
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
