import { routePath, ROUTES, type TestRunRecord } from '@dacapo/protocol';
import type { Page } from 'playwright-core';
import { HelpDesk, WORSE } from './dashboard/help-desk.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let desk: HelpDesk;
let runId: string;

const add = (body: object) =>
  dashboard.recorder.post(routePath(ROUTES.datasetVersions, { name: 'tickets' }), body);
const items = () => page.getByRole('list', { name: 'Items' }).locator('> li');

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  desk = new HelpDesk(dashboard.collector);
  await desk.record();
  runId = (await desk.evaluate(WORSE, 'One topic')).testRunId;
});

afterAll(async () => {
  await desk.close();
  await dashboard.close();
});

describe('datasets', () => {
  it('show the command that creates the first one', async () => {
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByText('No datasets yet.').waitFor();
    await page.getByText('dacapo datasets create tickets').waitFor();
  });

  it('are listed with their description, items and version', async () => {
    await dashboard.recorder.post(ROUTES.datasets, { name: 'tickets', description: 'What customers ask.' });
    await add({
      from_calls: { trace_function_key: 'route-ticket', selection: { limit: 3 } },
      note: 'a beginning',
    });
    await add({
      items: [{ input: ['Is it blue?'], expected: 'other', metadata: { by: 'ann' } }, { input: ['Hello'] }],
      from_test_run: { id: runId, item_nos: [5] },
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    const row = page.getByRole('row', { name: /tickets/ });
    await row.waitFor();
    expect((await row.getByRole('cell').allTextContents()).slice(0, 3)).toEqual([
      'ticketsWhat customers ask.',
      '6',
      '2',
    ]);
  });
});

describe('a dataset', () => {
  it('shows what each version changed', async () => {
    await page.getByRole('link', { name: 'tickets' }).click();
    await page.getByRole('heading', { name: 'tickets', level: 1 }).waitFor();
    await page.getByText('What customers ask.').waitFor();
    const versions = page.getByRole('region', { name: 'Versions' });
    const row = (version: number) =>
      versions.getByRole('row', { name: new RegExp(`^Version ${version}`) }).getByRole('cell');
    expect((await row(2).allTextContents()).slice(0, 4)).toEqual(['6', '+3', '–', 'version 1']);
    expect((await row(1).allTextContents()).slice(0, 5)).toEqual(['3', '+3', '–', '–', 'a beginning']);
  });

  it('shows the input, expected value and source of each item', async () => {
    await items().first().waitFor();
    expect(await items().count()).toBe(6);
    const written = items().filter({ hasText: 'Is it blue?' });
    await written.getByText('Written for this dataset.').waitFor();
    await written.getByText('→ other').click();
    await written.getByRole('heading', { name: 'Expected' }).waitFor();
    await written.getByText('"ann"').waitFor();
    await items().filter({ hasText: 'Hello' }).getByText('no expected value').waitFor();
    await items().getByRole('link', { name: 'call 6 of a run' }).waitFor();
  });

  it('shows the items of an older version, which the address names', async () => {
    await page.getByRole('button', { name: 'Version 1' }).click();
    await page.waitForURL('**/datasets/tickets?version=1');
    await page.getByRole('heading', { name: /Items of version 1/ }).waitFor();
    await items().nth(3).waitFor({ state: 'detached' });
    await items().nth(2).waitFor();
    expect(await items().count()).toBe(3);
  });

  it('links each item to the call that it was copied from', async () => {
    await items().first().getByRole('link', { name: 'a recorded call' }).click();
    await page.getByRole('heading', { name: 'route-ticket', level: 1 }).waitFor();
  });

  it('is linked, in the replayed version, from a run that replayed it', async () => {
    const run = (await dashboard.recorder.post(ROUTES.testRuns, {
      trace_function_key: 'route-ticket',
      dataset: { name: 'tickets', version: 1 },
      baseline: 'accepted',
    })) as TestRunRecord;
    await page.goto(run.url);
    await page.getByText('compared with accepted outcomes').waitFor();
    await page.getByRole('link', { name: 'tickets' }).click();
    await page.waitForURL('**/datasets/tickets?version=1');
    await page.getByRole('heading', { name: /Items of version 1/ }).waitFor();
  });

  it('fits a narrow window', async () => {
    await page.setViewportSize({ width: 420, height: 860 });
    const overhangPx = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect(page.evaluate(overhangPx)).resolves.toBe(0);
    await page.goto('/datasets');
    await page.getByRole('link', { name: 'tickets' }).waitFor();
    await expect(page.evaluate(overhangPx)).resolves.toBe(0);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('is reported as not found when the name is unknown', async () => {
    await page.goto('/datasets/gone');
    await page.getByText('Dataset not found.').waitFor();
    expect(dashboard.faults.splice(0)).toEqual([expect.stringContaining('404')]);
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
