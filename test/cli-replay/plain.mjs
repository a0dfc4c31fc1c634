import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// A top-level await, so that only `import` can load this module.
const greeting = await Promise.resolve('Hello');
const { HOLD_UNTIL, KEEP_ALIVE } = process.env;
let counted = 0;

export function greet(name) {
  // Output of the application must not become part of the report.
  console.log(`greeting ${name}`);
  return `${greeting} ${name}`;
}

/** With HOLD_UNTIL, the fourth call waits until that file exists. */
export async function count(n) {
  counted += 1;
  while (HOLD_UNTIL && counted === 4 && !existsSync(HOLD_UNTIL)) await sleep(5);
  return n;
}

if (KEEP_ALIVE) setInterval(() => undefined, 1_000);

// Imitates SDKs that flush on a signal and exit if there is no other listener.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    setImmediate(() => {
      if (process.listenerCount(signal) === 1) process.exit(1);
    });
  });
