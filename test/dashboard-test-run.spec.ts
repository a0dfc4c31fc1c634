import { newTraceId, type TestRunItemReport, type TestRunRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
});

afterAll(() => dashboard.close());

describe('a test run at its address', () => {
  let url: string;
  let newTraceIdOfChanged: string;

  beforeAll(async () => {
    const calls = ['same', 'before', 'fine'].map((reply, i) =>
      span(newTraceId(), 'replayed-key', 120_000 + i, {
        input: [`ticket ${i + 1}`],
        output: { reply, lines: ['a', 'b'] },
      }),
    );
    const replayed = span(newTraceId(), 'replayed-key', 180_000, {
      output: { reply: 'after', lines: ['a', 'b'] },
    });
    const reports = calls.map((call, i) => ({
      item_no: i,
      source_trace_id: call.trace_id,
      source_span_id: call.id,
      duration_ms: 900,
    }));
    newTraceIdOfChanged = replayed.trace_id;
    await dashboard.recorder.ingest(calls);
    const run = await dashboard.recorder.testRun(
      'replayed-key',
      [
        { ...reports[0]!, result: { lines: ['a', 'b'], reply: 'same' } },
        {
          ...reports[1]!,
          result: replayed.span_data.output!,
          new_trace_id: replayed.trace_id,
          new_span_id: replayed.id,
        },
        {
          ...reports[2]!,
          error: { name: 'TypeError', message: 'subject is undefined' },
          divergences: [
            {
              kind: 'changed_arguments',
              path: ['tools', 'mail.send'],
              source_span_id: calls[2]!.id,
              recorded_arguments: '["ann","hi"]',
              new_arguments: '["ann","hello"]',
            },
            { kind: 'missing', path: ['ledger'], source_span_id: calls[2]!.id, recorded_arguments: '[5]' },
          ],
          divergence_count: 7,
        },
        {
          item_no: 3,
          source_trace_id: newTraceId(),
          error: { name: 'CallNotFoundError', message: 'no such call' },
        },
      ],
      'Warmer tone',
    );
    url = run.url;
    const ofRun = { test_run_id: run.id, source_span_id: calls[1]!.id };
    const mocked = span(replayed.trace_id, 'mail.send', 180_100, { output: 'sent', meta: { mocked: true } });
    await dashboard.recorder.ingest([
      { ...replayed, ...ofRun },
      { ...mocked, ...ofRun, parent_id: replayed.id },
    ]);
  });

  const item = (number: number) =>
    page
      .getByRole('list', { name: 'Replayed calls' })
      .locator('> li')
      .filter({ hasText: `Call ${number}` });

  it('shows the counts by verdict', async () => {
    await page.goto(url);
    await page.getByRole('heading', { name: 'Warmer tone' }).waitFor();
    const figures = await page
      .getByRole('group', { name: 'Filter by verdict' })
      .getByRole('button')
      .allTextContents();
    expect(figures).toEqual(['4 all calls', '1 same', '1 changed', '2 errors', '2 new errors', '1 diverged']);
  });

  it('shows baseline and candidate output with the changed lines marked', async () => {
    const changed = item(2);
    await changed.getByText('Baseline', { exact: true }).waitFor();
    const marked = await changed.locator('[data-change="−"], [data-change="+"]').allTextContents();
    expect(marked).toEqual([
      expect.stringContaining('"reply": "before"'),
      expect.stringContaining('"reply": "after"'),
    ]);
  });

  it('shows an error next to the baseline output', async () => {
    const text = await item(3).textContent();
    expect(text).toContain('"reply": "fine"');
    expect(text).toContain('TypeError: subject is undefined');
  });

  it('shows the error of a trace without such a call, and no outputs', async () => {
    const text = await item(4).textContent();
    expect(text).toContain('CallNotFoundError: no such call');
    expect(text).not.toContain('Baseline');
  });

  it('shows which inner calls differ from the recorded ones', async () => {
    const differing = item(3).getByRole('group', { name: 'Inner calls that differ' });
    expect(await differing.getByRole('listitem').allTextContents()).toEqual([
      'different argumentstools › mail.send["ann","hi"] → ["ann","hello"]',
      'missingledger[5]',
    ]);
    await differing.getByText('and 5 more.').waitFor();
    await differing.getByRole('link', { name: 'tools › mail.send' }).waitFor();
    expect(await item(2).getByRole('group', { name: 'Inner calls that differ' }).count()).toBe(0);
  });

  it('folds unchanged calls', async () => {
    expect(await item(1).textContent()).not.toContain('Baseline');
    await item(1).getByRole('button', { name: 'Call 1' }).click();
    await item(1).getByText('Baseline', { exact: true }).waitFor();
    expect(await item(1).locator('[data-change="−"], [data-change="+"]').count()).toBe(0);
  });

  it('filters by verdict', async () => {
    await page.getByRole('button', { name: '2 errors' }).click();
    await item(2).waitFor({ state: 'detached' });
    await item(3).waitFor();
    expect(await item(3).count()).toBe(1);
    await page.getByRole('button', { name: '1 diverged' }).click();
    await item(4).waitFor({ state: 'detached' });
    await item(3).waitFor();
    expect(await item(3).count()).toBe(1);
    await page.getByRole('button', { name: '4 all calls' }).click();
    await item(2).waitFor();
  });

  it('links to both traces, and from the new trace back to its source', async () => {
    await item(2).getByRole('link', { name: 'New trace' }).click();
    await page.waitForURL(`**/traces/${newTraceIdOfChanged}?span=*`);
    await page.getByRole('tree').getByRole('treeitem').first().waitFor();
    const rows = await page.getByRole('tree').getByRole('treeitem').allTextContents();
    expect(rows.map((row) => row.includes('(mocked)'))).toEqual([false, true]);
    await page.getByRole('link', { name: 'its source span' }).click();
    await page.getByRole('region', { name: 'Output' }).getByText('"before"').waitFor();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('link', { name: 'Warmer tone' }).waitFor();
  });
});

describe('a replayed call that failed', () => {
  it('is marked when the baseline failed too', async () => {
    const error = { name: 'Error', message: 'out of stock' };
    const call = span(newTraceId(), 'failing-key', 0, { input: ['x'], error });
    await dashboard.recorder.ingest([call]);
    const report = { item_no: 0, source_trace_id: call.trace_id, source_span_id: call.id, error };
    const { url } = await dashboard.recorder.testRun('failing-key', [report], 'Still failing');
    await page.goto(url);
    await page.getByText('baseline failed too').waitFor();
  });

  it('marks the differences of both errors, and folds their stacks', async () => {
    const failure = (status: number) => ({
      name: 'HttpError',
      message: 'Request failed',
      stack: `HttpError: Request failed\n    at step${status}`,
      properties: { status, body: { retryable: true } },
    });
    const call = span(newTraceId(), 'limited-key', 0, { input: ['x'], error: failure(429) });
    await dashboard.recorder.ingest([call]);
    const report = { source_trace_id: call.trace_id, source_span_id: call.id, error: failure(500) };
    const { url } = await dashboard.recorder.testRun('limited-key', [{ item_no: 0, ...report }], 'Worse');
    await page.goto(url);
    await page.getByText('Both errors with stacks').waitFor();
    expect(await page.locator('[data-change="−"], [data-change="+"]').allTextContents()).toEqual([
      expect.stringContaining('"status": 429'),
      expect.stringContaining('"status": 500'),
    ]);
    expect(await page.getByText('at step500').count()).toBe(0);
    await page.getByText('Both errors with stacks').click();
    await page.getByText('Stack', { exact: true }).last().click();
    await page.getByText('at step500').waitFor();
  });
});

describe('a replayed stream that failed', () => {
  const error = (message: string) => ({ name: 'Error', message });
  const stream = (items: number) => ({ stream: { kind: 'async-generator', items } });
  const yielded = (of: Page) => of.locator('[data-change="−"], [data-change="+"]');

  const showRun = async (
    key: string,
    recorded: Parameters<typeof span>[3],
    replayed: Pick<TestRunItemReport, 'result' | 'error' | 'meta'>,
  ): Promise<void> => {
    const call = span(newTraceId(), key, 0, { input: ['x'], ...recorded });
    await dashboard.recorder.ingest([call]);
    const report = { item_no: 0, source_trace_id: call.trace_id, source_span_id: call.id, ...replayed };
    const { url } = await dashboard.recorder.testRun(key, [report], key);
    await page.goto(url);
  };

  it('shows what both streams yielded before they failed, and both errors', async () => {
    await showRun(
      'both-failed-key',
      { output: ['Once', 'upon'], error: error('reset by peer'), meta: stream(2) },
      { result: ['Once', 'under'], error: error('timed out'), meta: stream(2) },
    );
    await page.getByText('Yielded before the error').nth(1).waitFor();
    await page.getByText('Error', { exact: true }).nth(1).waitFor();
    expect(await yielded(page).allTextContents()).toEqual([
      expect.stringContaining('"upon"'),
      expect.stringContaining('"under"'),
      expect.stringContaining('reset by peer'),
      expect.stringContaining('timed out'),
    ]);
  });

  it('shows the whole recorded stream next to what the new one yielded', async () => {
    await showRun(
      'newly-failed-key',
      { output: ['Once', 'upon'], meta: stream(2) },
      { result: ['Once'], error: error('timed out'), meta: stream(1) },
    );
    await page.getByText('Yielded before the error').waitFor();
    expect(await yielded(page).allTextContents()).toContainEqual(expect.stringContaining('"upon"'));
    await page.getByText('No error.').waitFor();
    await page.getByRole('list', { name: 'Replayed calls' }).getByText('Error: timed out').last().waitFor();
  });

  it('shows the recorded stream next to a new one that failed at once', async () => {
    await showRun(
      'failed-at-once-key',
      { output: ['Once'], error: error('reset by peer'), meta: stream(1) },
      { error: error('timed out') },
    );
    await page.getByText('Yielded nothing.').waitFor();
    await page.getByText('"Once"').waitFor();
    await page.getByText('Both errors with stacks').waitFor();
  });
});

describe('a test run that stopped early', () => {
  it('shows how many calls are stored and skipped', async () => {
    const call = span(newTraceId(), 'cut-key', 0, { output: 'as before' });
    const replayed = span(newTraceId(), 'cut-key', 1, { output: 'replay' }, { test_run_id: 'r' });
    await dashboard.recorder.ingest([call, replayed]);
    const run = (await dashboard.recorder.post(API.testRuns.create.path, {
      trace_function_key: 'cut-key',
      selection: {},
    })) as TestRunRecord;
    await dashboard.recorder.post(routePath(API.testRuns.finish, { id: run.id }), { status: 'interrupted' });
    await page.goto(run.url);
    await page.getByText('interrupted').waitFor();
    await page.getByText('0 of 1 calls').waitFor();
    await page.getByText('Skipped 1 (replays, unfinished)').waitFor();
  });

  it('asks to check the spelling of a key that was never recorded', async () => {
    const run = (await dashboard.recorder.post(API.testRuns.create.path, {
      trace_function_key: 'misspelt-key',
      selection: {},
    })) as TestRunRecord;
    await dashboard.recorder.finishTestRun(run.id);
    await page.goto(run.url);
    await page.getByText('No call was recorded with this key.').waitFor();
  });
});

describe('a call that failed and so lost a score', () => {
  it('has the score of its baseline and "none", in its head and in its list', async () => {
    const call = span(newTraceId(), 'lost-score-key', 120_000, { input: ['late'], output: 'a' });
    await dashboard.recorder.ingest([call]);
    const run = await dashboard.recorder.testRun(
      'lost-score-key',
      [
        {
          item_no: 0,
          source_trace_id: call.trace_id,
          source_span_id: call.id,
          error: { name: 'TypeError', message: 'no reply' },
          original_scores: [
            { name: 'polite', value: 0.75 },
            { name: 'not applicable', value: null },
          ],
        },
      ],
      'Lost a score',
    );
    await page.goto(run.url);
    const [head, list] = [
      page.getByRole('list', { name: 'Scores' }),
      page.getByRole('group', { name: 'Scores of this call' }),
    ];
    await head.getByText('polite none was 0.75').waitFor();
    await list.getByText('none baseline: 0.75').waitFor();
    expect(await page.getByText('not applicable').count()).toBe(0);
  });
});

describe('a test run with replayed calls that were not stored', () => {
  const NAME = 'Service away';
  let run: TestRunRecord;

  beforeAll(async () => {
    const { recorder } = dashboard;
    const calls = [0, 1, 2, 3].map((i) => span(newTraceId(), 'lost-key', i, { input: [i], output: i }));
    await recorder.ingest(calls);
    run = (await recorder.post(API.testRuns.create.path, {
      trace_function_key: 'lost-key',
      name: NAME,
      selection: {},
    })) as TestRunRecord;
    await recorder.reportItems(run.id, [
      { item_no: 0, source_trace_id: calls[3]!.trace_id, source_span_id: calls[3]!.id, result: 3 },
    ]);
    await recorder.post(routePath(API.testRuns.finish, { id: run.id }), {
      status: 'interrupted',
      summary: { totals: { items: 3, missing: 1, unstored: 2 } },
    });
  });

  it('counts calls that were not stored apart from missing calls', async () => {
    await page.goto(run.url);
    await page.getByText('1 of 4 calls: 1 missing, 2 replayed but not stored by the service').waitFor();
    await page.getByText('The service did not store 2 replayed calls. Resume the run').waitFor();
  });

  it('shows in the list how many calls are stored', async () => {
    await page.getByRole('link', { name: '← Runs' }).click();
    const row = page.getByRole('row', { name: new RegExp(NAME) });
    await row.getByText('1 of 4').waitFor();
    await row.getByText('3 not stored').waitFor();
  });
});

describe('a call whose outputs cannot be compared', () => {
  it('is shown as unknown', async () => {
    const call = span(newTraceId(), 'cut-output-key', 0, { output: 'head' });
    await dashboard.recorder.ingest([call]);
    const report = { item_no: 0, source_trace_id: call.trace_id, source_span_id: call.id } as const;
    const items = [{ ...report, result: 'head', verdict: 'unknown' as const }];
    const { url } = await dashboard.recorder.testRun('cut-output-key', items, 'Cut');
    await page.goto(url);
    await page.getByRole('button', { name: '1 unknown' }).click();
    await page.getByRole('listitem').getByText('unknown', { exact: true }).waitFor();
  });
});

describe('a test run that is still running', () => {
  it('shows new calls and its end without a reload', async () => {
    const call = span(newTraceId(), 'live-key', 0, { output: 'as before' });
    await dashboard.recorder.ingest([call]);
    const run = await dashboard.recorder.startTestRun('live-key');
    await page.goto(run.url);
    await page.getByText('running').waitFor();

    const report = {
      item_no: 0,
      source_trace_id: call.trace_id,
      source_span_id: call.id,
      result: 'as before',
    };
    await dashboard.recorder.reportItems(run.id, [report]);
    await page.getByRole('button', { name: '1 same' }).waitFor();
    await dashboard.recorder.finishTestRun(run.id);
    await page.getByText('finished').waitFor();
    await page.getByRole('button', { name: 'Call 1' }).waitFor();
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
