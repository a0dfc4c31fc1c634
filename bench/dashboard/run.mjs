/**
 * Measures the page in Chromium, with a database of a million spans.
 *
 *   node bench/dashboard/run.mjs [--json] [--spans 1000000] [--rounds 5] [--rebuild] [--database <folder>]
 *
 * The database is that of bench/collector; each run uses a copy, with a trace of 20,000 spans and a span of 5 MB. Figures are medians of
 * all rounds. The browser is the one at `DACAPO_TEST_BROWSER`, else the installed Chrome. Goals: first rows in 250 ms, no task over 100 ms.
 * `--only overview` measures what has this in its name.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import { chromium } from 'playwright-core';
import { buildDatabase, KEYS, LONG_SESSION } from '../collector/build-database.mjs';

const SPANS = 20_000;
const OUTPUT_BYTES = 5 * 1024 * 1024;
const SCROLLS = 60;
const ITEMS = 10_000;
const ITEMS_AT_ONCE = 500;

/** Pages, and what matches their first rows. */
const PAGES = {
  traces: ['/traces', 'tbody [data-row-id]'],
  overview: ['/', 'main tbody tr'],
  functions: ['/functions', 'main tbody tr'],
  'a function': [`/functions/${KEYS[0]}`, 'main tbody tr:not(details *)'],
  sessions: ['/sessions', 'main tbody tr'],
  'a long session': [`/sessions/${LONG_SESSION}`, 'main ol[aria-label=Turns] > li'],
  'a dataset of 10,000 items': ['/datasets/bench', 'tbody [data-row-id]'],
  'a queue to review': ['/review?score=helpful&scale=1-5', 'main article section'],
};

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    spans: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    rebuild: { type: 'boolean', default: false },
    database: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});

// First, so that nothing else runs where there is no browser.
const path = process.env.DACAPO_TEST_BROWSER;
const browser = await chromium.launch({
  args: ['--no-sandbox'],
  ...(path ? { executablePath: path } : { channel: 'chrome' }),
});
const kept = values.database ?? join(import.meta.dirname, '../../.cache/bench', `collector-${values.spans}`);
const { apiKey } = await buildDatabase(kept, Number(values.spans), values.rebuild);
const directory = mkdtempSync(`${kept}-`);
cpSync(kept, directory, { recursive: true });
const service = fork(join(import.meta.dirname, '../collector/collector-process.mjs'), [directory]);
const [{ url }] = await once(service, 'message');
const [longTrace, largeTrace] = [newTraceId(), newTraceId()];
await ingestLong();
await ingestLarge();
await addDataset();

const page = await browser.newPage({ baseURL: url, viewport: { width: 1440, height: 900 } });
await page.addInitScript(() => {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
  const wanted = globalThis.sessionStorage.getItem('wanted');
  new MutationObserver(() => {
    if (wanted && document.querySelector(wanted)) globalThis.firstRowsMs ??= performance.now();
  }).observe(document, { childList: true, subtree: true });
});
await page.goto('/traces');
await page.getByLabel('API key').fill(apiKey);
await page.getByRole('button', { name: 'Sign in' }).click();
await page.locator('tbody [data-row-id]').first().waitFor();

const measures = {
  ...Object.fromEntries(
    Object.entries(PAGES).flatMap(([name, [address, wanted]]) => [
      [
        `first rows: ${name}`,
        async () => {
          await page.evaluate((selector) => globalThis.sessionStorage.setItem('wanted', selector), wanted);
          await page.goto(address);
          await page.waitForFunction(() => globalThis.firstRowsMs !== undefined);
          return page.evaluate(() => globalThis.firstRowsMs);
        },
      ],
      [`longest task: ${name}`, () => longestTaskDuring(() => page.waitForTimeout(500), false)],
    ]),
  ),
  'longest task, scrolling 20,000 spans': async () => {
    await page.goto(`/traces/${longTrace}`);
    await page.getByRole('treeitem').first().waitFor();
    await page.getByText('Loading spans').waitFor({ state: 'detached' });
    return longestTaskDuring(async () => {
      for (let step = 1; step <= SCROLLS; step++) {
        await page.evaluate(
          (share) =>
            new Promise((done) => {
              const tree = document.querySelector('[role=tree]');
              tree.scrollTo(0, tree.scrollHeight * share);
              requestAnimationFrame(() => setTimeout(done));
            }),
          step / SCROLLS,
        );
      }
    });
  },
  'longest task, opening 20,000 spans': async () => {
    await page.goto(`/traces/${longTrace}`);
    await page.getByRole('treeitem').first().waitFor();
    await page.getByText('Loading spans').waitFor({ state: 'detached' });
    return longestTaskDuring(() => page.waitForTimeout(200), false);
  },
  'longest task, opening 5 MB': async () => {
    await page.goto(`/traces/${largeTrace}`);
    await page.getByText('Showing').waitFor();
    return longestTaskDuring(() => page.waitForTimeout(200), false);
  },
};

const chosen = Object.entries(measures).filter(([name]) => name.includes(values.only));
const taken = Object.fromEntries(chosen.map(([name]) => [name, []]));
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, measure] of chosen) taken[name].push(await measure());
await browser.close();
service.send('stop');
await once(service, 'exit');
rmSync(directory, { recursive: true });

const rows = Object.entries(taken).map(([measured, ms]) => ({
  measured,
  'median ms': Math.round(ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)]),
  'most ms': Math.round(Math.max(...ms)),
}));
const load = loadavg()[0].toFixed(1);
if (values.json) process.stdout.write(`${JSON.stringify({ rows, load })}\n`);
else {
  console.table(rows);
  console.table([{ load }]);
}

/** The longest task in milliseconds; tasks under 50 ms count as 0. @param fromNow ignores earlier tasks */
async function longestTaskDuring(run, fromNow = true) {
  if (fromNow) await page.evaluate(() => void (globalThis.longest = 0));
  await run();
  return page.evaluate(() => globalThis.longest);
}

async function ingestLong() {
  const root = makeSpan(longTrace, 0, { input: ['long'] });
  const spans = Array.from({ length: SPANS - 1 }, (_, index) => ({
    ...makeSpan(longTrace, index + 1, {}),
    parent_id: root.id,
  }));
  for (let start = 0; start < spans.length; start += 500)
    await ingest([...(start === 0 ? [root] : []), ...spans.slice(start, start + 500)]);
}

async function ingestLarge() {
  const words = 'The parcel will arrive, and it can be left with a neighbour. ';
  // Below the limit of a field, in several of them.
  const output = Array.from({ length: 8 }, () => words.repeat(OUTPUT_BYTES / 8 / words.length));
  await ingest([makeSpan(largeTrace, 0, { output })]);
}

async function addDataset() {
  await post('/api/v1/datasets', { name: 'bench' });
  for (let first = 0; first < ITEMS; first += ITEMS_AT_ONCE) {
    const items = Array.from({ length: ITEMS_AT_ONCE }, (_, at) => ({
      input: [`Where is parcel ${first + at}?`],
      expected: 'delivery',
    }));
    await post('/api/v1/datasets/bench/versions', { items });
  }
}

async function post(path, body) {
  const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

function makeSpan(trace_id, index, span_data) {
  // Older than the spans of the database, so that lists and the queue do not begin with these.
  const startedMs = Date.now() - 40 * 24 * 3_600_000 + index;
  return {
    ...{
      id: newSpanId(),
      trace_id,
      trace_function_key: 'Bench.page',
      name: `step ${index}`,
      type: 'function',
    },
    ...{ status: 'ok', started_at: new Date(startedMs).toISOString(), duration_ms: 5, span_data },
    ended_at: new Date(startedMs + 5).toISOString(),
  };
}

async function ingest(spans) {
  const body = spans.map((span) => JSON.stringify({ span })).join('\n');
  const headers = { 'api-key': apiKey, 'content-type': 'application/x-ndjson' };
  const answer = await fetch(`${url}/api/v1/ingest`, { method: 'POST', headers, body });
  const { rejected } = await answer.json();
  if (!answer.ok || rejected.length > 0) throw new Error(`Ingest failed: ${JSON.stringify(rejected)}`);
}
