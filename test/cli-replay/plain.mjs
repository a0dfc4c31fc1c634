import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// Only `import` loads a module that waits at its top level.
const greeting = await Promise.resolve('Hello');
const { HOLD_UNTIL, KEEP_ALIVE } = process.env;
let counted = 0;

export function greet(name) {
  // What an application prints is no part of the report.
  console.log(`greeting ${name}`);
  return `${greeting} ${name}`;
}

/** With HOLD_UNTIL, the fourth call waits until there is a file of that name. */
export async function count(n) {
  counted += 1;
  while (HOLD_UNTIL && counted === 4 && !existsSync(HOLD_UNTIL)) await sleep(5);
  return n;
}

if (KEEP_ALIVE) setInterval(() => undefined, 1_000);

// As SDKs do that send what they hold at the end: where nobody else listens to the signal, they end the process.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    setImmediate(() => {
      if (process.listenerCount(signal) === 1) process.exit(1);
    });
  });
