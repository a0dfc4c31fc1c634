import { clearTimeout, setTimeout } from '../delivery/timers.js';

/** What `work` gives, if it does so in time; what it does later is ignored. @throws what `late` makes */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
