import {
  type CreatedApiKey,
  newTraceId,
  type Page as PageOf,
  type SpanRecord,
  type TraceSummary,
} from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let testRunId: string;

const makeCall = (key: string): SpanRecord => span(newTraceId(), key, 0, { input: [key], output: 'done' });

const tickets = [makeCall('classify-ticket'), makeCall('classify-ticket')];
const summary = makeCall('summarize');

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  const { recorder } = dashboard;
  await recorder.ingest([...tickets, summary, makeCall('kept')]);
  await recorder.post(API.datasets.create.path, { name: 'tickets' });
  await recorder.post(routePath(API.datasets.addVersion, { name: 'tickets' }), {
    from_calls: { trace_function_key: 'summarize', selection: {} },
  });
  const item = {
    item_no: 0,
    source_trace_id: summary.trace_id,
    source_span_id: summary.id,
    verdict: 'changed' as const,
    result: 'otherwise',
    duration_ms: 12,
  };
  testRunId = (await recorder.testRun('summarize', [item], 'the next prompt')).id;
});

afterAll(() => dashboard.close());

const keysLeft = async (): Promise<string[]> => {
  const { items } = await dashboard.recorder.get<PageOf<TraceSummary>>(API.traces.list.path);
  return items.map(({ trace_function_key: key }) => key).toSorted();
};

describe('the data page', () => {
  it('counts affected traces before it sets a retention rule, and removes the rule', async () => {
    await page.goto('/api-keys');
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    const retention = page.getByRole('region', { name: 'Retention' });
    await retention.getByText('Traces are kept until someone deletes them').waitFor();
    await retention.getByLabel('Trace function key').selectOption('classify-ticket');
    await retention.getByLabel('Keep for (days)').fill('30000');
    await retention.getByRole('button', { name: 'Set rule …' }).click();
    await page.getByRole('dialog').getByText('0 of 2 traces are old enough to delete now.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Set rule' }).click();
    await retention.getByRole('row', { name: /classify-ticket 30,000 days/ }).waitFor();
    await retention.getByRole('button', { name: 'Remove rule for classify-ticket' }).click();
    await retention.getByRole('row').first().waitFor({ state: 'detached' });
  });

  it('deletes traces by key after the key is typed, and shows the progress', async () => {
    const form = page.getByRole('region', { name: 'Delete traces' });
    await form.getByRole('button', { name: 'Delete traces …' }).click();
    await form.getByText('Enter a session, a user, a key or an age.').waitFor();
    await form.getByLabel('Trace function key').selectOption('classify-ticket');
    await form.getByRole('button', { name: 'Delete traces …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete traces with a call to classify-ticket?' });
    await dialog.getByText('2 traces with 2 spans').waitFor();
    const go = dialog.getByRole('button', { name: 'Delete traces' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Type classify-ticket to confirm').fill('classify-ticket');
    await go.click();
    const row = page.getByRole('row', { name: /^traces with a call to classify-ticket on request/ });
    await row.getByText('done').waitFor();
    await row.getByText('2 traces, 2 spans').waitFor();
    await expect(keysLeft()).resolves.toEqual(['kept', 'summarize']);
  });
});

describe('a trace', () => {
  it('is deleted on its page, and its copies say that their content was deleted', async () => {
    await page.goto(`/traces/${summary.trace_id}`);
    await page.getByRole('button', { name: 'Actions for this trace' }).click();
    await page.getByRole('button', { name: 'Delete trace …' }).click();
    await page.getByRole('dialog').getByText('1 trace with 1 span').waitFor();
    await page.getByRole('button', { name: 'Delete trace', exact: true }).click();
    const row = page.getByRole('row', { name: new RegExp(`^trace ${summary.trace_id}`) });
    await row.getByText('done').waitFor();
    await row.getByText('1 trace, 1 span, 1 dataset item, 1 test run item').waitFor();

    await page.goto(`/traces/${summary.trace_id}`);
    await page.getByText(`Trace ${summary.trace_id} was deleted.`).waitFor();
    expect(dashboard.faults.splice(0)).toEqual([expect.stringContaining('404')]);

    await page.goto('/datasets/tickets');
    await page.getByText('The content was deleted with the call that it was copied from.').waitFor();
    await page.goto(`/test-runs/${testRunId}`);
    await page.getByText('erased', { exact: true }).waitFor();
    await page.getByText('The content was deleted with one of its traces.').waitFor();
  });
});

describe('a reader', () => {
  it('sees which scope is missing, and no button that would fail', async () => {
    const reader = (await dashboard.recorder.post(API.apiKeys.create.path, {
      name: 'reader',
      scopes: ['read'],
    })) as CreatedApiKey;
    const visitor = await dashboard.visit();
    await visitor.page.goto('/data');
    await visitor.page.getByLabel('API key').fill(reader.api_key);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByText('You cannot delete data of this account.').waitFor();
    await visitor.page.getByText('lacks the scope manage').waitFor();
    expect(await visitor.page.getByRole('button', { name: /Delete|Set rule/ }).count()).toBe(0);
    await visitor.page.goto('/traces');
    await visitor.page.getByRole('link', { name: 'kept' }).click();
    await visitor.page.getByRole('button', { name: 'Refresh' }).waitFor();
    await visitor.page.getByRole('treeitem', { name: /kept/ }).waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Actions for this trace' }).count()).toBe(0);
  });
});

describe('an account', () => {
  it('is deleted after its name is typed, and nobody can sign in any more', async () => {
    expect(dashboard.faults).toEqual([]);
    await page.goto('/data');
    await page.getByRole('button', { name: 'Delete account …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Type .* to confirm$/).fill('default');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect(keysLeft()).rejects.toThrow('404');
  });
});
