import { formatTimestamp, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';
import { watchInput } from './dashboard/watch-input.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

const NOW_MS = Date.now();
const HOUR_MS = 3600 * 1000;

/** A trace of `key` that asks each model once: 1,000 tokens in, 100 out. */
function makeTrace(key: string, models: string[], more: Partial<SpanRecord> = {}): SpanRecord[] {
  const trace = newTraceId();
  const times = { started_at: formatTimestamp(NOW_MS * 1000) };
  const root = span(trace, key, 0, {}, { ...times, ...more });
  const calls = models.map((model) =>
    span(
      trace,
      `ask ${model}`,
      0,
      { usage: { model, provider: 'openai', input_tokens: 1_000, output_tokens: 100 } },
      { ...times, ...more, type: 'llm', parent_id: root.id, status: 'ok' },
    ),
  );
  return [root, ...calls];
}

const at = (hoursAgo: number): { started_at: string } => ({
  started_at: formatTimestamp((NOW_MS - hoursAgo * HOUR_MS) * 1000),
});

const priced = makeTrace('support.answer', ['gpt-4o', 'own-model']);

/** Release 1.0 answers for two days; 1.1 has answered for three hours, and times out. */
const released = [
  ...Array.from({ length: 60 }, (_, no) =>
    makeTrace('extract-invoice', [], { ...at(6 + no / 2), release: '1.0', duration_ms: 200 }),
  ),
  ...Array.from({ length: 20 }, (_, no) =>
    makeTrace('extract-invoice', [], {
      ...at(no / 8),
      release: '1.1',
      status: 'error',
      span_data: { error: { name: 'TimeoutError', message: `no answer after ${no} s` } },
    }),
  ),
].flat();

const source = (prompt: string): string =>
  `function Classify(text: string) -> string {\n  client Main\n  prompt #"${prompt} {{ text }}"#\n}\n`;
const push = (prompt: string, activate = true) =>
  dashboard.recorder.post(routePath(API.functions.push, { name: 'Classify' }), {
    source: source(prompt),
    note: prompt,
    activate,
  });

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await dashboard.recorder.ingest([
    ...priced,
    ...makeTrace('support.answer', [], { duration_ms: 3_000, status: 'error' }),
    ...makeTrace('summarize', ['own-model']),
    ...makeTrace('look-up', [], { release: '0.9', ...at(40) }),
    ...released,
  ]);
  for (const prompt of ['Name the topic.', 'Name one topic.', 'Name exactly one topic.']) await push(prompt);
  await push('Never active.', false);
});

afterAll(() => dashboard.close());

const readCells = async (key: string): Promise<(string | null)[]> => {
  const row = page.getByRole('row', { name: new RegExp(`^${key}`) });
  await row.waitFor();
  return (await row.getByRole('cell').allTextContents()).map((text) => text.trim());
};

const activeVersion = async (): Promise<number> =>
  (
    await dashboard.recorder.get<{ version: number }>(
      routePath(API.functions.get, { name: 'Classify', version: 'active' }),
    )
  ).version;

describe('the overview', () => {
  it('lists what got worse since the last release, with a link to its traces', async () => {
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(/^Release 1\.1, since .*, compared with release 1\.0$/).waitFor();
    const worse = page.getByRole('region', { name: 'What got worse' });
    const row = worse.getByRole('row', { name: /extract-invoice 20 × TimeoutError, new/ });
    await row.getByText('20 traces, calls 60 → 20').waitFor();
    await row.getByRole('link', { name: 'extract-invoice', exact: true }).click();
    await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    await page.getByText('no answer after 3 s').waitFor();
    const filter = new URL(page.url()).searchParams;
    expect(filter.get('status')).toBe('error');
    expect(filter.get('text')).toBe('TimeoutError');
    expect(filter.get('release')).toBe('1.1');
    expect(await page.getByRole('link', { name: 'extract-invoice' }).count()).toBe(20);
  });

  it('compares with the period before when asked, and lists all functions below', async () => {
    await page.goto('/?against=period&period=24h');
    await page.getByText(/^Since .*, compared with the period before$/).waitFor();
    expect((await readCells('support\\.answer'))[0]).toBe('new 2');
    await page.getByRole('link', { name: 'summarize' }).click();
    await page.getByRole('heading', { name: 'summarize', level: 1 }).waitFor();
  });

  it('leads links of the former trace list to the traces', async () => {
    await page.goto('/?status=error&range=7d');
    await page.waitForURL('**/traces?status=error**');
  });

  it('is read by keyboard alone', async () => {
    await page.goto('/');
    await page.getByRole('region', { name: 'What got worse' }).getByRole('row').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('no answer after 3 s').waitFor();
  });
});

describe('functions', () => {
  it('have figures whose own costs add up, and show an unknown cost as unknown', async () => {
    await page.goto('/functions');
    await page.getByText(/Percentiles are accurate to 1 %\.$/).waitFor();
    const totals = page.locator('dl[aria-label="all traces"] dd');
    await totals.first().waitFor();
    expect((await totals.allTextContents())[5]).toContain('≥ $0.0035');
    const [, calls, errors, , perCall, own] = await readCells('support\\.answer');
    expect([calls, errors, perCall, own]).toEqual(['2', '1 (50 %)', 'at least ≥ $0.0018', '–']);
    expect((await readCells('ask gpt-4o')).slice(4)).toEqual(['$0.0035', '$0.0035']);
    expect((await readCells('summarize')).slice(4)).toEqual(['unknown', '–']);
    expect(await readCells('Own cost of all functions')).toEqual(['at least ≥ $0.0035']);
  });

  it('have a row for each value of a field that is chosen, with links to its traces', async () => {
    await page.getByLabel('Group by').selectOption('Release');
    const groups = page.getByRole('region', { name: 'Release of all traces' });
    await groups.waitFor();
    const link = groups.getByRole('link', { name: '0.9' });
    expect(await link.getAttribute('href')).toBe('/traces?range=7d&release=0.9');
  });

  it('are filtered by a field of their traces', async () => {
    await page.goto('/functions?release=0.9');
    await page.getByRole('row', { name: /^look-up/ }).waitFor();
    expect(await page.getByRole('row', { name: /^summarize/ }).count()).toBe(0);
    await page.goto('/functions?user_id=nobody');
    await page.getByText('No calls match these filters.').waitFor();
    await page.goto('/functions?replays=only&user_id=nobody');
    await page.getByText('No calls match these filters.').waitFor();
  });

  it('are sorted by a column', async () => {
    await page.goto('/functions');
    await page.getByRole('button', { name: 'p95' }).click();
    await page.locator('tbody tr:first-child', { hasText: 'support.answer' }).waitFor();
    expect(page.url()).toContain('sort=p95');
  });

  it('are at the addresses of the former page Metrics', async () => {
    await page.goto('/metrics-by-key?range=24h&key=support.answer&measure=cost');
    await page.getByRole('img', { name: 'Cost of support.answer, per hour' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/functions/support.answer');
    expect(new URL(page.url()).search).toBe('?range=24h&measure=cost');
    await page.goto('/metrics-by-key?sort=p95');
    await page.getByRole('heading', { name: 'Functions', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/functions');
  });
});

describe('a function', () => {
  it('is drawn over time, with releases marked and a data table', async () => {
    await page.goto('/functions/extract-invoice');
    await page.getByLabel('Started').selectOption('Last 24 hours');
    await page.getByRole('img', { name: 'Calls of extract-invoice, per hour' }).waitFor();
    const marks = page.getByRole('list', { name: 'Began in this period' });
    await marks.getByText('release 1.1').waitFor();
    expect(await marks.getByText('release 1.0').count()).toBe(0);
    await page.getByText('Data table').click();
    await page.getByRole('group', { name: 'Calls of extract-invoice, data table' }).waitFor();
    await page.getByRole('button', { name: 'Duration', exact: true }).click();
    await page.getByRole('img', { name: 'Duration of extract-invoice, per hour' }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=24h&measure=duration');
    await page.goto('/functions/summarize?measure=cost');
    await page.getByText('No price is known for these models.').waitFor();
  });

  it('keeps the filter of the list, which the reader can remove', async () => {
    await page.goto('/functions?release=1.0');
    await page.getByRole('link', { name: 'extract-invoice' }).click();
    const calls = page.locator('dl[aria-label="extract-invoice"] dd').first();
    await calls.getByText('60').waitFor();
    await page.getByRole('button', { name: 'Remove filter Release 1.0' }).click();
    await calls.getByText('80').waitFor();
  });

  it('has its calls, its errors by kind, and its runs', async () => {
    await page.goto('/functions/extract-invoice');
    await page
      .getByRole('group', { name: 'Newest calls' })
      .getByText('TimeoutError: no answer')
      .first()
      .waitFor();
    const tabs = page.getByRole('navigation', { name: 'About this function' });
    await tabs.getByRole('link', { name: 'Errors' }).click();
    await page.getByRole('row', { name: /^TimeoutError 20/ }).waitFor();
    await tabs.getByRole('link', { name: 'Runs' }).click();
    await page.getByText('No runs with this key.').waitFor();
    await tabs.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('This function has no versions.').waitFor();
  });

  it('with a slash or a percent sign in its key has a page', async () => {
    await dashboard.recorder.ingest([...makeTrace('POST /refunds/:id', []), ...makeTrace('50%2F off', [])]);
    await page.goto('/functions');
    await page.getByRole('link', { name: 'POST /refunds/:id' }).click();
    await page.getByRole('heading', { name: 'POST /refunds/:id', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('img', { name: 'Calls of POST /refunds/:id, per day' }).waitFor();
    await page.goto('/functions');
    await page.getByRole('link', { name: '50%2F off' }).click();
    await page.getByRole('img', { name: 'Calls of 50%2F off, per day' }).waitFor();
  });
});

describe('versions of a function', () => {
  beforeEach(async () => {
    await page.goto('/functions/Classify?tab=versions');
    await page.getByRole('heading', { name: /^Version \d is active$/ }).waitFor();
  });

  it('are compared word by word, the active one with the one before at first', async () => {
    await page.getByText('exactly', { exact: true }).waitFor();
    expect(await page.getByLabel('From version').inputValue()).toBe('2');
    await page.getByLabel('From version').selectOption('1');
    await page.getByText('Name the topic.').nth(1).waitFor();
    expect(await page.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['the']));
  });

  it('are rolled back in two clicks from the page of the function, after the effect is shown', async () => {
    const input = await watchInput(page);
    await page.goto('/functions/Classify');
    await page.getByText('version 3 is active').waitFor();
    await page.getByRole('button', { name: 'Roll back to version 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back to version 2?' });
    await dialog.getByText('Calls of Classify run version 2 instead of version 3').waitFor();
    expect(await activeVersion()).toBe(3);
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('version 2 is active').waitFor();
    expect((await input()).clicks).toBe(2);
    expect(await activeVersion()).toBe(2);
  });

  it('are activated and rolled back by keyboard alone', async () => {
    const input = await watchInput(page);
    await page.reload();
    await page.getByRole('button', { name: 'Activate version 3' }).waitFor();
    // The newest version, which was never active, is the first row.
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Activate version 3?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await activeVersion()).toBe(2);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Activate version 3?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Version 3 is active' }).waitFor();
    expect(await activeVersion()).toBe(3);
    await page.keyboard.press('b');
    await page.getByRole('dialog', { name: 'Roll back to version 2?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Version 2 is active' }).waitFor();
    expect((await input()).clicks).toBe(0);
    expect(await activeVersion()).toBe(2);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Activate version 3?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Version 3 is active' }).waitFor();
  });

  it('are not activated if another version became active meanwhile', async () => {
    await page.getByRole('button', { name: 'Activate version 1' }).click();
    await dashboard.recorder.post(routePath(API.functions.activate, { name: 'Classify' }), { version: 4 });
    const dialog = page.getByRole('dialog', { name: 'Roll back to version 1?' });
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.getByText('Version 3 of function Classify is not active any more.').waitFor();
    expect(await activeVersion()).toBe(4);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Version 4 is active' }).waitFor();
  });

  it('are only read by keys that may not manage them', async () => {
    const reader = (await dashboard.recorder.post(API.apiKeys.create.path, {
      name: 'reader',
      scopes: ['read'],
    })) as { api_key: string };
    const visitor = await dashboard.visit();
    await visitor.page.goto('/functions/Classify?tab=versions');
    await visitor.page.getByLabel('API key').fill(reader.api_key);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByText(/^A developer or admin, or a key with the scope manage/).waitFor();
    expect(await visitor.page.getByRole('button', { name: /Activate|Roll back/ }).count()).toBe(0);
    await visitor.page.context().close();
  });
});

describe('the cost of a trace', () => {
  it('names the source of its prices, and is unknown for a model without a price', async () => {
    await page.goto(`/traces/${priced[0]?.trace_id ?? ''}`);
    const facts = page.getByRole('list', { name: 'About this trace' });
    const total = facts.getByText('$0.0035');
    await total.waitFor();
    expect(await total.getAttribute('title')).toMatch(
      /^Prices: genai-prices@[\d.]+\. No price is known for 1 model call$/,
    );
    await page.getByRole('treeitem', { name: /ask own-model/ }).click();
    await page.getByRole('region', { name: 'Span ask own-model' }).getByText('Cost unknown').waitFor();
    await page.getByRole('treeitem', { name: /ask gpt-4o/ }).click();
    await page.getByRole('region', { name: 'Span ask gpt-4o' }).getByText('Cost $0.0035').waitFor();
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults.filter((fault) => !fault.includes('status of 409'))).toEqual([]);
  });
});
