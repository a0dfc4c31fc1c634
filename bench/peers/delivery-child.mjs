/** A traced application: `node delivery-child.mjs <arm> <spans> <spans a second> <url> <flush|exit|resume>`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inputMarker, outputMarker } from './sink/markers.mjs';

const FLUSH_MS = 30_000;

const [armName, spans, spansASecond, url, ending] = process.argv.slice(2);
const { createArm } = await import(`../tracer/arms/${armName}.mjs`);
const arm = createArm(url);
const call = arm.trace('work', async ({ number }) => ({ text: `here it is: ${outputMarker(number)}` }));
const flush = () => Promise.race([arm.finish().catch(() => undefined), sleep(FLUSH_MS)]);

async function callAll() {
  const start = performance.now();
  for (let number = 0; number < Number(spans); number += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        call({ number: number + i, text: `where is ${inputMarker(number + i)}` }),
      ),
    );
    const dueMs = ((number + 100) / Number(spansASecond)) * 1000;
    await sleep(Math.max(0, start + dueMs - performance.now()));
  }
}

if (ending !== 'resume') {
  // Warm-up: signed in, connected, first span delivered.
  await call({ number: 'warm-up', text: 'first' });
  await flush();
  process.send('ready');
  await new Promise((resolve) => process.once('message', resolve));
  await callAll();
  if (ending === 'exit') process.exit(0);
}
await flush();
process.send('flushed');
setInterval(() => undefined, 1000);
