import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until a condition is true. Only Jest's timeout limits it, so that a slow machine fails no test. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}
