import { formatTimestamp, newTraceId, type SpanRecord } from '@dacapo/protocol';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

/** All calls are in one hour. */
const NOW_MS = Date.now();

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
      { ...times, type: 'llm', parent_id: root.id },
    ),
  );
  return [root, ...calls];
}

const priced = makeTrace('support.answer', ['gpt-4o', 'own-model']);

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await dashboard.recorder.ingest([
    ...priced,
    ...makeTrace('support.answer', [], { duration_ms: 3_000, status: 'error' }),
    ...makeTrace('summarize', ['own-model']),
    ...makeTrace('look-up', [], { release: '2.0' }),
  ]);
});

afterAll(() => dashboard.close());

const readCells = async (key: string): Promise<(string | null)[]> => {
  const row = page.getByRole('row', { name: new RegExp(`^${key}`) });
  await row.waitFor();
  return (await row.getByRole('cell').allTextContents()).slice(1);
};

describe('metrics', () => {
  it('have a row for each value of a field that is chosen', async () => {
    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.getByLabel('Group by').selectOption('Release');
    const table = page.getByRole('region', { name: 'Release of all traces' });
    await table.waitFor();
    const rows = await table.getByRole('row').allTextContents();
    expect(rows.slice(1).map((row) => row.replace(/ms.*/, ''))).toEqual([
      expect.stringMatching(/^none3/),
      expect.stringMatching(/^2\.01/),
    ]);
    await page.getByLabel('Group by').selectOption('');
  });

  it('cover all traces and each key, and show an unknown cost as unknown', async () => {
    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.getByRole('heading', { name: 'Metrics', level: 1 }).waitFor();
    await page.getByText('Percentiles are accurate to 1 %.').waitFor();
    const totals = await page.locator('dl[aria-label="All traces"] dd').allTextContents();
    expect([totals[0], totals[1], totals[4], totals[5]]).toEqual([
      '4',
      '25 %',
      '3,300',
      'at least ≥ $0.0035',
    ]);

    const [calls, errors, median, , tokens, cost] = await readCells('support\\.answer');
    expect([calls, errors, tokens, cost]).toEqual(['2', '1 (50 %)', '2,200', 'at least ≥ $0.0035']);
    expect(median).toMatch(/^(99\d ms|1\.0[01] s)$/);
    expect((await readCells('summarize')).slice(4)).toEqual(['1,100', 'unknown']);
    expect((await readCells('look-up')).slice(4)).toEqual(['–', '–']);
  });

  it('are filtered by a field of their traces, with links to these traces', async () => {
    await page.goto('/metrics-by-key?group=release');
    await page.getByRole('button', { name: 'Add filter' }).click();
    const editor = page.getByRole('dialog', { name: 'Add filter' });
    await editor.getByLabel('Filter by').selectOption('Release');
    await editor.getByLabel('is', { exact: true }).fill('2.0');
    await editor.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('row', { name: /^summarize/ }).waitFor({ state: 'detached' });
    expect(await readCells('look-up')).toContain('1');
    expect(await page.locator('dl[aria-label="All traces"] dd').first().textContent()).toBe('1');
    const groups = page.getByRole('region', { name: 'Release of all traces' });
    const link = groups.getByRole('link', { name: '2.0' });
    expect(await link.getAttribute('href')).toBe('/?range=7d&release=2.0');
    const traces = page.getByRole('link', { name: 'Traces of look-up' });
    expect(await traces.getAttribute('href')).toBe('/?trace_function_key=look-up&range=7d&release=2.0');
    await page.getByRole('button', { name: 'Remove filter Release 2.0' }).click();
    await page.getByRole('row', { name: /^summarize/ }).waitFor();
    await page.goto('/metrics-by-key?user_id=nobody');
    await page.getByText('No calls match these filters.').waitFor();
    await page.goto('/metrics-by-key');
  });

  it('are drawn over time for the key in the address, with a data table', async () => {
    await page.getByLabel('Started').selectOption('Last 24 hours');
    await page.getByRole('button', { name: 'support.answer' }).click();
    await page.getByRole('img', { name: 'Calls of support.answer, per hour' }).waitFor();
    await page.getByText('Data table').click();
    const numbers = page.getByRole('group', { name: 'Calls of support.answer, data table' });
    await numbers.getByRole('row', { name: /2 1$/ }).waitFor();
    await page.getByRole('button', { name: 'Cost', exact: true }).first().click();
    await page.getByRole('img', { name: 'Cost of support.answer, per hour' }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=24h&key=support.answer&measure=cost');

    await page.goto('/metrics-by-key?key=summarize&measure=cost');
    await page.getByText('No price is known for these models.').waitFor();
    await page.goto('/metrics-by-key?replays=only');
    await page.getByText('No calls in this period.').waitFor();
  });

  it('are sorted by a column, and link to the traces of a key', async () => {
    await page.goto('/metrics-by-key');
    await page.getByRole('button', { name: 'p95' }).click();
    await page.locator('tbody tr:first-child', { hasText: 'support.answer' }).waitFor();
    expect(page.url()).toContain('sort=p95');
    await page.getByRole('link', { name: 'Traces of summarize' }).click();
    await page.getByRole('link', { name: 'summarize' }).waitFor();
    expect(new URL(page.url()).search).toBe('?trace_function_key=summarize&range=7d');
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
    await page.getByRole('region', { name: 'Span ask own-model' }).getByText('Cost: unknown').waitFor();
    await page.getByRole('treeitem', { name: /ask gpt-4o/ }).click();
    await page.getByRole('region', { name: 'Span ask gpt-4o' }).getByText('Cost: $0.0035').waitFor();
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
