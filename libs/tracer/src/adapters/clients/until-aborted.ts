/**
 * Yields the items of a stream until a signal is aborted, also while the next item is pending. `onAbort` may throw the client's error;
 * otherwise the stream ends.
 */
export async function* untilAborted(
  source: AsyncIterable<unknown>,
  signals: readonly AbortSignal[],
  onAbort: (signal: AbortSignal) => void,
): AsyncGenerator {
  const iterator = source[Symbol.asyncIterator]();
  const stopped = new AbortController();
  const aborted = new Promise<AbortSignal>((resolve) => {
    for (const signal of signals) {
      const abort = (): void => {
        resolve(signal);
      };
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true, signal: stopped.signal });
    }
  });
  try {
    for (;;) {
      const step = await Promise.race([aborted, iterator.next()]);
      if (step instanceof AbortSignal) {
        onAbort(step);
        return;
      }
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    stopped.abort();
    // Not awaited, because its pending item may never arrive.
    void iterator.return?.().catch(() => undefined);
  }
}
