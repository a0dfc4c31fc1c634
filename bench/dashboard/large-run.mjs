/* Opens a run with 10,000 calls in Chromium and scrolls through its list: `npm run bench:dashboard`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const CALLS = 10_000;
const REPORTED_AT_ONCE = 1000;
const SCROLLS = 40;
const { startCollector } = createRequire(import.meta.url)('../../libs/collector/dist/cjs/index.js');
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

const dataDir = await mkdtemp(join(tmpdir(), 'dacapo-bench-'));
const collector = await startCollector({ port: 0, dataDir });
const executablePath = process.env.DACAPO_TEST_BROWSER;
const browser = await chromium.launch({
  ...(executablePath === undefined ? { channel: 'chrome' } : { executablePath }),
  args: ['--no-sandbox'],
});
try {
  const id = await storeRun();
  const rounds = [];
  for (let round = 0; round < Number(values.rounds); round += 1) rounds.push(await openRun(id));
  for (const name of Object.keys(rounds[0])) {
    const sorted = rounds.map((round) => round[name]).sort((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)];
    console.log(
      `${name.padEnd(28)} ${median.toFixed(0).padStart(6)} ms  (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`,
    );
  }
  console.log(`load ${loadavg()[0].toFixed(1)}`);
} finally {
  await browser.close();
  await collector.close();
  await rm(dataDir, { recursive: true });
}

async function post(path, body) {
  const answer = await fetch(collector.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': collector.apiKey },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** One of ten calls changed. */
async function storeRun() {
  const { id } = await post('/api/v1/test-runs', { trace_function_key: 'classify', name: 'Large run' });
  for (let first = 0; first < CALLS; first += REPORTED_AT_ONCE) {
    const items = Array.from({ length: REPORTED_AT_ONCE }, (_, at) => {
      const item_no = first + at;
      const isChanged = item_no % 10 === 0;
      const text = `Where is my parcel ${item_no}? `.repeat(10);
      return {
        item_no,
        verdict: isChanged ? 'changed' : 'same',
        baseline: 'expected',
        input: [{ text }],
        original_output: { topic: 'delivery', answer: text },
        result: { topic: isChanged ? 'other' : 'delivery', answer: text },
        duration_ms: 12,
      };
    });
    await post(`/api/v1/test-runs/${id}/items`, { items });
  }
  const check = (name, passed) => ({ name, limit: '', measured: '', passed, failures: [] });
  const checks = [
    check('minItems', true),
    check('complete', true),
    check('newErrors', true),
    check('changed', false),
  ];
  const summary = { passed: false, gate: { changed: 0 }, checks, failures: [] };
  await post(`/api/v1/test-runs/${id}/finish`, { summary, expected_items: CALLS });
  return id;
}

async function openRun(id) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(collector.url);
  await page.getByLabel('API key').fill(collector.apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask', buffered: true });
  });
  const start = performance.now();
  await page.goto(`${collector.url}/test-runs/${id}`);
  await page.getByRole('list', { name: 'Groups of equal changes' }).getByRole('button').first().waitFor();
  const groupsMs = performance.now() - start;
  await page.getByRole('list', { name: 'Replayed calls' }).getByRole('listitem').first().waitFor();
  await page.waitForLoadState('networkidle');
  const opening = await page.evaluate(() => Math.max(0, ...globalThis.longTasks));
  await page.evaluate(() => {
    globalThis.longTasks.length = 0;
  });
  for (let step = 0; step < SCROLLS; step += 1) {
    await page.mouse.wheel(0, 2000);
    await page.waitForTimeout(50);
  }
  const scrolling = await page.evaluate(() => Math.max(0, ...globalThis.longTasks));
  await context.close();
  return {
    'groups of a run shown': groupsMs,
    'longest task, opening': opening,
    'longest task, scrolling': scrolling,
  };
}
