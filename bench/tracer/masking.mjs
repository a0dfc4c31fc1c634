// Measures the cost of masking: records a call with a text argument of 0.9 MB, with and without masking. Recording is the work during the call:
// capture, the span's line, and its bytes in a batch. Sending is excluded, because it costs the same in both arms and would hide the ratio.
// Then records a message of 2 KB with and without each of the 300 shapes of secrets in test/secret-shapes.json.
// Interleaved rounds of CPU time; medians, and their ratio. Build first (`npm run build`); `--json` for machines, `--table` for the table of shapes
// in docs/masking-costs.md.
import { randomFillSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Capturer } from '../../.cache/tsc/tracer/capture/capturer.js';
import { Tracer } from '../../.cache/tsc/tracer/tracer.js';

const ROUNDS = 41;
const WARM_UP = 10;
const SHAPE_ROUNDS = 9;
const SHAPE_REPEATS = 20;
const LENGTH = 900_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const masked = new Capturer();
const bytes = Buffer.alloc(8 * LENGTH);
const sink = {
  add: (line) => void bytes.latin1Write(line),
  flush: async () => true,
  shutdown: async () => undefined,
};
const recorded = (capture) =>
  new Tracer({ apiKey: 'key', capture }, { sink }).withSpan('bench.masking', (text) => text.length);
const recordMasked = recorded({});
const recordUnmasked = recorded({ redactKeys: false, redactPatterns: false });

const readLines = (file) =>
  readFileSync(join(ROOT, 'test/harmless-texts', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const fill = (text) => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);
const code = readdirSync(join(ROOT, 'libs/tracer/src'), { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'libs/tracer/src', name), 'utf8'))
  .join('\n');
const log = Array.from(
  { length: 9000 },
  (_, i) =>
    `${new Date(1.7e12 + i * 137).toISOString()} INFO [http] GET /orders/${i * 7919} 200 ${i % 90}ms request=${(i * 2654435761).toString(16)} user=ann`,
).join('\n');
const html = Array.from(
  { length: 6000 },
  (_, i) =>
    `<tr class="row"><td>${i}</td><td><a href="/orders/${i}?sort=asc&page=2">Order ${i}</a></td><td>Left at the door</td></tr>`,
).join('\n');
const packages = readdirSync(join(ROOT, 'node_modules')).map((name) =>
  join(ROOT, 'node_modules', name, 'README.md'),
);
const manuals = packages.flatMap((path) => (existsSync(path) ? [readFileSync(path, 'utf8')] : [])).join('\n');
const documents = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8'))
  .join('\n');
const otherCode = readdirSync(join(ROOT, 'node_modules/rxjs/src'), { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'node_modules/rxjs/src', name), 'utf8'))
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
  prose: fill(readLines('gsm8k.txt').join('\n')),
  'prose with a password': `${fill(readLines('gsm8k.txt').join('\n')).slice(200)} password: hunter2x9`,
  'code (RxJS)': fill(otherCode),
  'code of this tracer: 370 hints': fill(code),
  'manuals of npm packages': fill(manuals),
  'documents of this tracer': fill(documents),
  'JSON text': fill(JSON.stringify(orders)),
  log: fill(log),
  HTML: fill(html),
  'base64 image': base64,
  'data: URL': `data:image/png;base64,${base64}`,
};

function timed(capturer, value, repeats = 1) {
  return (
    measureCpu(() => {
      for (let i = 0; i < repeats; i++) capturer.capture(value);
    }) / repeats
  );
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

function measureCpu(record, text) {
  const { user, system } = process.cpuUsage();
  record(text);
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / 1000;
}

const texts = Object.entries(TEXTS).map(([name, text]) => {
  const arms = [() => measureCpu(recordMasked, text), () => measureCpu(recordUnmasked, text)];
  compare(WARM_UP, ...arms);
  return { name, ...compare(ROUNDS, ...arms) };
});

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

/** A row for each kind of shape: their number, and the median and the highest cost. */
function printTable() {
  const kinds = new Map();
  for (const { name, masked: ms, baseline } of shapes)
    kinds.set(name, [...(kinds.get(name) ?? []), Math.max(0, ms - baseline) * 1000]);
  console.log('| Shape | Shapes | µs | at most |\n| --- | ---: | ---: | ---: |');
  for (const [name, costs] of kinds)
    console.log(
      `| ${name.replaceAll('|', '\\|')} | ${costs.length} | ${median(costs).toFixed(0)} | ${costs.at(-1).toFixed(0)} |`,
    );
}

if (process.argv.includes('--table')) {
  printTable();
} else if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ texts, shapes }));
} else {
  console.log('recording a text of 0.9 MB        masked ms   unmasked ms   ratio');
  for (const { name, masked: ms, baseline } of texts)
    console.log(
      name.padEnd(32),
      ms.toFixed(1).padStart(9),
      baseline.toFixed(1).padStart(13),
      (ms / baseline).toFixed(2).padStart(7),
    );
  console.log('\na message of 2 KB with a secret of this shape: additional µs');
  for (const { name, masked: ms, baseline } of shapes)
    console.log(name.slice(0, 56).padEnd(58), ((ms - baseline) * 1000).toFixed(1).padStart(8));
}
