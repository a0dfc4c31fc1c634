import { clearTimeout, setTimeout } from '../delivery/timers.js';

/** Returns the result of `work` if it arrives in time; later results are ignored. @throws the result of `late` */
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
