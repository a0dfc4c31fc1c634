/** A collector of a built tree with a copy of the database of a million spans, and a signed-in page of its dashboard. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newSpanId, newTraceId } from '@dacapo/protocol';

const SPANS = 20_000;
const OUTPUT_BYTES = 5 * 1024 * 1024;
const ITEMS = 10_000;
const ITEMS_AT_ONCE = 500;

/** @param tree the folder of a built tree of this repository @param kept the folder of the database, which stays as it is */
export async function openDashboard(browser, tree, kept, apiKey) {
  const directory = mkdtempSync(`${kept}-`);
  cpSync(kept, directory, { recursive: true });
  const service = fork(join(tree, 'bench/collector/collector-process.mjs'), [directory]);
  const ended = once(service, 'exit').then(([code]) => {
    throw new Error(`The collector of ${tree} ended with ${code}. Build it with \`npm run build\`.`);
  });
  const [{ url }] = await Promise.race([once(service, 'message'), ended]);
  ended.catch(() => undefined);
  const send = async (path, body, type) => {
    const headers = { 'api-key': apiKey, 'content-type': type };
    const answer = await fetch(url + path, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const [longTrace, largeTrace] = [newTraceId(), newTraceId()];
  await ingestLong(send, longTrace);
  await ingestLarge(send, largeTrace);
  await addDataset(send);
  const page = await openPage(browser, url, apiKey);
  return {
    page,
    longTrace,
    largeTrace,
    close: async () => {
      service.send('stop');
      await once(service, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
}

async function openPage(browser, url, apiKey) {
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        globalThis.longest = Math.max(globalThis.longest, duration);
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
  return page;
}

async function ingestLong(send, longTrace) {
  const root = makeSpan(longTrace, 0, { input: ['long'] });
  const spans = Array.from({ length: SPANS - 1 }, (_, index) => ({
    ...makeSpan(longTrace, index + 1, {}),
    parent_id: root.id,
  }));
  for (let start = 0; start < spans.length; start += 500)
    await ingest(send, [...(start === 0 ? [root] : []), ...spans.slice(start, start + 500)]);
}

async function ingestLarge(send, largeTrace) {
  const words = 'The parcel will arrive, and it can be left with a neighbour. ';
  // Below the limit of a field, in several of them.
  const output = Array.from({ length: 8 }, () => words.repeat(OUTPUT_BYTES / 8 / words.length));
  await ingest(send, [makeSpan(largeTrace, 0, { output })]);
}

async function addDataset(send) {
  const post = (path, body) => send(path, JSON.stringify(body), 'application/json');
  await post('/api/v1/datasets', { name: 'bench' });
  for (let first = 0; first < ITEMS; first += ITEMS_AT_ONCE) {
    const items = Array.from({ length: ITEMS_AT_ONCE }, (_, at) => ({
      input: [`Where is parcel ${first + at}?`],
      expected: 'delivery',
    }));
    await post('/api/v1/datasets/bench/versions', { items });
  }
}

function makeSpan(trace_id, index, span_data) {
  // Older than the spans of the database, so that lists and the queue do not begin with these.
  const startedMs = Date.now() - 40 * 24 * 3_600_000 + index;
  return {
    id: newSpanId(),
    trace_id,
    trace_function_key: 'Bench.page',
    name: `step ${index}`,
    type: 'function',
    status: 'ok',
    started_at: new Date(startedMs).toISOString(),
    duration_ms: 5,
    span_data,
    ended_at: new Date(startedMs + 5).toISOString(),
  };
}

async function ingest(send, spans) {
  const body = spans.map((span) => JSON.stringify({ span })).join('\n');
  const { rejected } = await send('/api/v1/ingest', body, 'application/x-ndjson');
  if (rejected.length > 0) throw new Error(`Ingest failed: ${JSON.stringify(rejected)}`);
}
