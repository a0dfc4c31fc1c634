import { newTraceId, type SpanRecord, type TestRunRecord } from '@dacapo/protocol';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let first: TestRunRecord;
let second: TestRunRecord;

beforeAll(async () => {
  dashboard = await startDashboard();
  const calls = ['a', 'b', 'c', 'd'].map((reply, i) =>
    span(newTraceId(), 'compared-key', 120_000 + i, { input: [`ticket ${i + 1}`], output: { reply } }),
  );
  await dashboard.recorder.ingest(calls);
  const items = (from: number, results: object[]) =>
    results.map((result, i) => ({
      item_no: i,
      source_trace_id: calls[from + i]!.trace_id,
      source_span_id: calls[from + i]!.id,
      duration_ms: 100 * (i + 1),
      ...result,
    }));
  first = await dashboard.recorder.testRun(
    'compared-key',
    items(0, [{ result: { reply: 'a' } }, { result: { reply: 'new b' } }, { result: { reply: 'c' } }]),
    'the first',
  );
  second = await dashboard.recorder.testRun(
    'compared-key',
    items(1, [
      { result: { reply: 'b' } },
      { error: { name: 'TypeError', message: 'no reply' } },
      { result: { reply: 'd' } },
    ]),
    'the second',
  );
  const made = { test_run_id: second.id, user_id: 'ann', tags: ['vip'], environment: 'ci', release: '2' };
  await dashboard.recorder.ingest([span(newTraceId(), 'compared-key', 130_000, {}, made)]);
  page = await signIn(dashboard);
});

afterAll(() => dashboard.close());

describe('the comparison of two test runs', () => {
  it('is opened from the page of one of them', async () => {
    await page.goto(`/test-runs/${second.id}`);
    await page.getByRole('link', { name: 'Compare …' }).click();
    await page.getByLabel('Compare with').selectOption(first.id);
    await page.getByRole('list', { name: 'Calls of both runs' }).waitFor();
    expect(new URL(page.url()).searchParams.get('with')).toBe(first.id);
  });

  it('counts calls that are better, worse or in one run only', async () => {
    const filter = page.getByRole('group', { name: 'Filter by comparison' });
    for (const figure of [
      '4 all calls',
      '1 improved',
      '1 regressed',
      '1 only in this run',
      '1 only in the other',
    ]) {
      await filter.getByRole('button', { name: figure }).waitFor();
    }
    const figures = page.getByRole('table', { name: 'Figures of both runs' });
    await figures.getByRole('row', { name: /^Same as the baseline 66\.7 % 66\.7 % 0\.0 %/ }).waitFor();
    await figures.getByRole('row', { name: /^Duration 200 ms 200 ms – – –/ }).waitFor();
  });

  it('shows user, tags, environment and release of the candidates', async () => {
    await page.getByText('Candidate: user ann; tag vip; environment ci; release 2').waitFor();
  });

  it('filters calls by relation and shows the line diff of both outputs', async () => {
    const calls = page.getByRole('list', { name: 'Calls of both runs' }).getByRole('listitem');
    await page.getByRole('button', { name: '1 improved' }).click();
    // The previous rows stay until the response arrives.
    await calls.nth(1).waitFor({ state: 'detached' });
    await calls.getByText('same vs changed').waitFor();
    await calls.getByRole('button', { name: /^Call/ }).click();
    await calls.getByText('"reply": "new b"').waitFor();
    expect(await calls.locator('mark').allTextContents()).toContain('new ');
    await page.getByRole('button', { name: '1 regressed' }).click();
    await calls.getByText('error vs same').waitFor();
    await calls.getByRole('button', { name: /^Call/ }).click();
    await calls.getByText('no reply').waitFor();
  });

  it('mirrors when the runs are swapped', async () => {
    await page.goto(`/test-runs/${first.id}/compare?with=${second.id}&relation=regressed`);
    const calls = page.getByRole('list', { name: 'Calls of both runs' }).getByRole('listitem');
    await calls.getByText('changed vs same').waitFor();
    expect(await calls.count()).toBe(1);
  });

  it('fits a narrow window', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await page.goto(`/test-runs/${second.id}/compare?with=${first.id}`);
    await page.getByRole('list', { name: 'Calls of both runs' }).waitFor();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});

describe('the comparison of two traces', () => {
  const makeTrace = (reply: string, tools: string[], ofLast: Partial<SpanRecord> = {}): SpanRecord[] => {
    const traceId = newTraceId();
    const root = span(traceId, 'desk', 200_000, { input: ['hi'], output: { reply, tone: 'calm' } });
    const calls = tools.map((tool, i) => ({
      ...span(traceId, tool, 200_001 + i, { input: [], output: `${tool} of ${reply}` }),
      parent_id: root.id,
      name: tool,
    }));
    return [root, ...calls.slice(0, -1), { ...calls.at(-1)!, ...ofLast }];
  };
  const [left, right] = [
    makeTrace('old', ['search', 'mail']),
    makeTrace('new', ['search', 'lookup', 'mail'], { kind: 'tool', level: 'warn' }),
  ];

  beforeAll(async () => {
    await dashboard.recorder.ingest([...left, ...right]);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(`/traces/${left[0]!.trace_id}/compare?with=${right[0]!.trace_id}`);
  });

  it('lists spans that one trace lacks', async () => {
    await page.getByText('3 spans in both, 0 only in this trace, 1 only in the other trace.').waitFor();
    const rows = page.getByRole('list', { name: 'Spans of both traces' }).getByRole('listitem');
    expect(await rows.getByRole('button').allTextContents()).toEqual([
      left[0]!.name,
      'search',
      'lookup',
      'mail',
    ]);
    expect(await rows.filter({ hasText: 'lookup' }).textContent()).toContain('only in the other');
  });

  it('marks different values before a span is opened', async () => {
    const rows = page.getByRole('list', { name: 'Spans of both traces' }).getByRole('listitem');
    for (const differing of [0, 1, 3]) await rows.nth(differing).getByText('output differs').waitFor();
    expect(await page.getByText('input differs').count()).toBe(0);
  });

  it('shows a different level and kind', async () => {
    const rows = page.getByRole('list', { name: 'Spans of both traces' }).getByRole('listitem');
    await rows.nth(3).getByText('level none vs warn').waitFor();
    await rows.nth(3).getByText('kind none vs tool').waitFor();
    expect(await page.getByText('none vs').count()).toBe(2);
  });

  it('shows the line diff of both outputs of a span', async () => {
    const rows = page.getByRole('list', { name: 'Spans of both traces' }).getByRole('listitem');
    await rows.first().getByRole('button').first().click();
    await rows.first().getByText('"reply"').first().waitFor();
    expect(await rows.first().locator('mark').allTextContents()).toEqual(['old', 'new']);
  });
});

describe('both of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
