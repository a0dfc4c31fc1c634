import {
  type CreatedApiKey,
  newTraceId,
  type Page as PageOf,
  routePath,
  ROUTES,
  type SpanRecord,
  type TraceSummary,
} from '@dacapo/protocol';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let testRunId: string;

const callOf = (key: string): SpanRecord => span(newTraceId(), key, 0, { input: [key], output: 'done' });

const tickets = [callOf('classify-ticket'), callOf('classify-ticket')];
const summary = callOf('summarize');

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  const { recorder } = dashboard;
  await recorder.ingest([...tickets, summary, callOf('kept')]);
  await recorder.post(ROUTES.datasets, { name: 'tickets' });
  await recorder.post(routePath(ROUTES.datasetVersions, { name: 'tickets' }), {
    from_calls: { trace_function_key: 'summarize', selection: {} },
  });
  const item = {
    ...{ item_no: 0, source_trace_id: summary.trace_id, source_span_id: summary.id },
    ...{ verdict: 'changed' as const, result: 'otherwise', duration_ms: 12 },
  };
  testRunId = (await recorder.testRun('summarize', [item], 'the next prompt')).id;
});

afterAll(() => dashboard.close());

const keysLeft = async (): Promise<string[]> => {
  const { items } = await dashboard.recorder.get<PageOf<TraceSummary>>(ROUTES.traces);
  return items.map(({ trace_function_key: key }) => key).toSorted();
};

describe('the page Data', () => {
  it('sets a rule of how long traces are kept once it was seen what goes, and takes it away', async () => {
    await page.goto('/api-keys');
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    const retention = page.getByRole('region', { name: 'Retention' });
    await retention.getByText('Traces are kept until somebody deletes them').waitFor();
    await retention.getByLabel('Trace function key').selectOption('classify-ticket');
    await retention.getByLabel('Kept for, in days').fill('30000');
    await retention.getByRole('button', { name: 'Set rule …' }).click();
    await page.getByRole('dialog').getByText('None of 2 traces is too old now.').waitFor();
    await page.getByRole('button', { name: 'Set the rule' }).click();
    await retention.getByRole('row', { name: /classify-ticket 30,000 days/ }).waitFor();
    await retention.getByRole('button', { name: 'Remove the rule classify-ticket' }).click();
    await retention.getByRole('row').first().waitFor({ state: 'detached' });
  });

  it('deletes what has a key once the key is typed, and tells how far that is', async () => {
    const form = page.getByRole('region', { name: 'Delete traces' });
    await form.getByRole('button', { name: 'Delete …' }).click();
    await form.getByText('Give a session, a user, a key or an age.').waitFor();
    await form.getByLabel('Trace function key').selectOption('classify-ticket');
    await form.getByRole('button', { name: 'Delete …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete traces with a call of classify-ticket?' });
    await dialog.getByText('2 traces with 2 spans').waitFor();
    const go = dialog.getByRole('button', { name: 'Delete them' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type classify-ticket to go on').fill('classify-ticket');
    await go.click();
    const row = page.getByRole('row', { name: /^traces with a call of classify-ticket asked for/ });
    await row.getByText('done').waitFor();
    await row.getByText('2 traces, 2 spans').waitFor();
    await expect(keysLeft()).resolves.toEqual(['kept', 'summarize']);
  });
});

describe('a trace', () => {
  it('is deleted on its page, and what was copied from it says that its content is gone', async () => {
    await page.goto(`/traces/${summary.trace_id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('1 trace with 1 span').waitFor();
    await page.getByRole('button', { name: 'Delete the trace' }).click();
    const row = page.getByRole('row', { name: new RegExp(`^the trace ${summary.trace_id}`) });
    await row.getByText('done').waitFor();
    await row.getByText('1 trace, 1 span, 1 dataset item, 1 item of test runs').waitFor();

    await page.goto(`/traces/${summary.trace_id}`);
    await page.getByText(`Trace ${summary.trace_id} was deleted.`).waitFor();
    expect(dashboard.faults.splice(0)).toEqual([expect.stringContaining('404')]);

    await page.goto('/datasets/tickets');
    await page.getByText('Its content was deleted with the call that it was copied from.').waitFor();
    await page.goto(`/test-runs/${testRunId}`);
    await page.getByText('erased', { exact: true }).waitFor();
    await page.getByText('Its content was deleted with one of its traces.').waitFor();
  });
});

describe('who may not delete', () => {
  it('is told what is missing and how to get it, and has no button that would fail', async () => {
    const reader = (await dashboard.recorder.post(ROUTES.apiKeys, {
      ...{ name: 'reader', scopes: ['read'] },
    })) as CreatedApiKey;
    const visitor = await dashboard.visit();
    await visitor.page.goto('/data');
    await visitor.page.getByLabel('API key').fill(reader.api_key);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByText('You may not delete data of this account.').waitFor();
    await visitor.page.getByText('has no scope manage').waitFor();
    expect(await visitor.page.getByRole('button', { name: /Delete|Set rule/ }).count()).toBe(0);
    await visitor.page.goto('/');
    await visitor.page.getByRole('link', { name: 'kept' }).click();
    await visitor.page.getByRole('button', { name: 'Refresh' }).waitFor();
    await visitor.page.getByRole('treeitem', { name: /kept/ }).waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });
});

describe('an account', () => {
  it('is deleted once its name is typed, and nobody gets in any more', async () => {
    expect(dashboard.faults).toEqual([]);
    await page.goto('/data');
    await page.getByRole('button', { name: 'Delete the account …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Type .* to go on$/).fill('default');
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect(keysLeft()).rejects.toThrow('404');
  });
});
