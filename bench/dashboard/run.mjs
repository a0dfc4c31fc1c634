/**
 * Measures the page in Chromium, with a database of a million spans.
 *
 *   node bench/dashboard/run.mjs [--json] [--spans 1000000] [--rounds 5] [--rebuild] [--database <folder>] [--only <name>]
 *     [--against <folder>]
 *
 * The database is that of bench/collector; each run uses a copy, with a trace of 20,000 spans and a span of 5 MB. Figures are medians of
 * all rounds. The browser is the one at `DACAPO_TEST_BROWSER`, else the installed Chrome. Goals: first rows in 250 ms, no task over 100 ms.
 * `--only overview` measures what has this in its name. `--against` measures another built tree of this repository, with packages of its own, in
 * turns, and the ratio.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { buildDatabase, KEYS, LONG_SESSION } from '../collector/build-database.mjs';
import { openDashboard } from './open-dashboard.mjs';

const SCROLLS = 60;

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
    against: { type: 'string' },
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
const trees = [join(import.meta.dirname, '../..'), ...(values.against === undefined ? [] : [values.against])];
const dashboards = [];
for (const tree of trees) dashboards.push(await openDashboard(browser, tree, kept, apiKey));

const chosen = Object.keys(measuresOf(dashboards[0])).filter((name) => name.includes(values.only));
const arms = dashboards.map((dashboard) => ({ measures: measuresOf(dashboard), taken: {} }));
for (let round = 0; round < Number(values.rounds); round++)
  for (const name of chosen)
    // The second one finds another state of the processor than the first.
    for (const { measures, taken } of round % 2 === 0 ? arms : arms.toReversed())
      for (const [label, ms] of Object.entries(await measures[name]())) (taken[label] ??= []).push(ms);
await browser.close();
for (const { close } of dashboards) await close();

const [own, other] = arms.map(({ taken }) => taken);
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const rows = Object.entries(own).map(([measured, ms]) => ({
  measured,
  'median ms': Math.round(median(ms)),
  'most ms': Math.round(Math.max(...ms)),
  ...(other && {
    'other tree, median ms': Math.round(median(other[measured])),
    // The median of the ratios in each round: the speed of the machine changes between rounds. There is none for tasks that count as 0.
    ...(Math.min(...other[measured]) > 0 && {
      ratio: Number(median(ms.map((one, round) => one / other[measured][round])).toFixed(2)),
    }),
  }),
}));
const load = loadavg()[0].toFixed(1);
if (values.json) process.stdout.write(`${JSON.stringify({ rows, load })}\n`);
else {
  console.table(rows);
  console.table([{ load }]);
}

/** By name, a function that measures: milliseconds by label. */
function measuresOf({ page, longTrace, largeTrace }) {
  /** The longest task in milliseconds; tasks under 50 ms count as 0. @param fromNow ignores earlier tasks */
  const longestTaskDuring = async (run, fromNow = true) => {
    if (fromNow) await page.evaluate(() => void (globalThis.longest = 0));
    await run();
    return page.evaluate(() => globalThis.longest);
  };
  const openPage = async (name, [address, wanted]) => {
    await page.evaluate((selector) => globalThis.sessionStorage.setItem('wanted', selector), wanted);
    await page.goto(address);
    await page.waitForFunction(() => globalThis.firstRowsMs !== undefined);
    return {
      [`first rows: ${name}`]: await page.evaluate(() => globalThis.firstRowsMs),
      [`longest task: ${name}`]: await longestTaskDuring(() => page.waitForTimeout(500), false),
    };
  };
  const openLongTrace = async () => {
    await page.goto(`/traces/${longTrace}`);
    await page.getByRole('treeitem').first().waitFor();
    await page.getByText('Loading spans').waitFor({ state: 'detached' });
  };
  const scroll = async () => {
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
  };
  return {
    ...Object.fromEntries(Object.entries(PAGES).map(([name, place]) => [name, () => openPage(name, place)])),
    '20,000 spans': async () => {
      await openLongTrace();
      return {
        'longest task, opening 20,000 spans': await longestTaskDuring(() => page.waitForTimeout(200), false),
        'longest task, scrolling 20,000 spans': await longestTaskDuring(scroll),
      };
    },
    '5 MB': async () => {
      await page.goto(`/traces/${largeTrace}`);
      await page.getByText('Showing').waitFor();
      return { 'longest task, opening 5 MB': await longestTaskDuring(() => page.waitForTimeout(200), false) };
    },
  };
}
