// Cost of masking: recording a text of about 0.9 MB with and without masking, and a message of 2 KB with and without each of the
// 300 secret shapes in test/secret-shapes.json. Interleaved rounds; medians, and their ratio. Build first (`npm run build`).
// `--json` prints JSON.
import { randomFillSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Capturer } from '../../.cache/tsc/tracer/capture/capturer.js';

const ROUNDS = 15;
const SHAPE_ROUNDS = 9;
const SHAPE_REPEATS = 20;
const LENGTH = 900_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const masked = new Capturer();
const unmasked = new Capturer({ redactKeys: false, redactPatterns: false });

const linesOf = (file) =>
  readFileSync(join(ROOT, 'test/harmless-texts', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const fill = (text) => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);
const code = readdirSync(join(ROOT, 'libs/tracer/src'), { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'libs/tracer/src', name), 'utf8'))
  .join('\n');
const base64 = randomFillSync(Buffer.alloc((LENGTH * 3) / 4)).toString('base64');
const orders = Array.from({ length: 5000 }, (_, i) => ({
  id: `ord_${i}`,
  at: new Date(i * 1e9).toISOString(),
  total: i * 1.37,
  note: 'Left at the door',
  customer: { name: 'Ann Lee', city: 'Oslo' },
}));
const TEXTS = {
  prose: fill(linesOf('gsm8k.txt').join('\n')),
  code: fill(code),
  'JSON text': fill(JSON.stringify(orders)),
  'base64 image': base64,
  'data: URL': `data:image/png;base64,${base64}`,
};

function timed(capturer, value, repeats = 1) {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) capturer.capture(value);
  return (performance.now() - start) / repeats;
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

/** Medians of both arms in milliseconds. The arms alternate. */
function compare(rounds, one, other) {
  const [ones, others] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ones.push(one());
    others.push(other());
  }
  return { masked: median(ones), baseline: median(others) };
}

const texts = Object.entries(TEXTS).map(([name, text]) => ({
  name,
  ...compare(
    ROUNDS,
    () => timed(masked, { text }),
    () => timed(unmasked, { text }),
  ),
}));

const message = 'My order came, and it is not what I asked for. '.repeat(42);
const shapes = JSON.parse(readFileSync(join(ROOT, 'test/secret-shapes.json'), 'utf8')).map(
  ([kind, shape]) => {
    const text = `${message}\n${shape.replace(/[«»]/g, '')}\n`;
    return {
      name: kind,
      ...compare(
        SHAPE_ROUNDS,
        () => timed(masked, { text }, SHAPE_REPEATS),
        () => timed(masked, { text: message }, SHAPE_REPEATS),
      ),
    };
  },
);

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ texts, shapes }));
} else {
  console.log('recording a text of 0.9 MB      masked ms   unmasked ms   ratio');
  for (const { name, masked: ms, baseline } of texts)
    console.log(
      name.padEnd(30),
      ms.toFixed(1).padStart(9),
      baseline.toFixed(1).padStart(13),
      (ms / baseline).toFixed(2).padStart(7),
    );
  console.log('\na message of 2 KB with a secret of this shape: additional µs');
  for (const { name, masked: ms, baseline } of shapes)
    console.log(name.slice(0, 56).padEnd(58), ((ms - baseline) * 1000).toFixed(1).padStart(8));
}
