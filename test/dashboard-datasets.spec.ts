import { type TestRunRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { HelpDesk, WORSE } from './dashboard/help-desk.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';
import { watchInput } from './dashboard/watch-input.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let desk: HelpDesk;
let runId: string;

const add = (body: object) =>
  dashboard.recorder.post(routePath(API.datasets.addVersion, { name: 'tickets' }), body);
const items = () => page.locator('tr[data-row-id]');
const itemWith = (text: string) => items().filter({ hasText: text });
const showsVersion = (version: number) =>
  page.getByRole('heading', { name: `Items of version ${version}` }).waitFor();

/** Rules of WCAG 2.2 AA, and best practices. With a folder in `SHOTS`, a picture is stored there. */
const checkPage = async (name: string): Promise<void> => {
  if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png` });
  await page.evaluate(source);
  const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run(document)');
  expect(violations.map(({ id }) => id)).toEqual([]);
};

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
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
    await dashboard.recorder.post(API.datasets.create.path, {
      name: 'tickets',
      description: 'What customers ask.',
    });
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
    await written.getByRole('button', { name: 'Is it blue?' }).click();
    await page.getByRole('heading', { name: 'Expected' }).waitFor();
    await page.getByText('"ann"').waitFor();
    await written.getByRole('button', { name: 'Is it blue?' }).click();
    await itemWith('Hello').waitFor();
    await items().getByRole('link', { name: 'call 6 of a run' }).waitFor();
  });

  it('shows the items of an older version, which the address names', async () => {
    await page.getByRole('button', { name: 'Version 1', exact: true }).click();
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

  it('is edited in a new version', async () => {
    await page.goto('/datasets/tickets');
    await itemWith('Is it blue?').getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit item' });
    await dialog.getByLabel('Expected').fill('colours');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await showsVersion(3);
    await itemWith('Is it blue?').getByText('colours').waitFor();
    expect(await items().count()).toBe(6);
  });

  it('refuses a number that would be stored as another one, and an edit of a version that changed', async () => {
    await itemWith('Is it blue?').getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit item' });
    await dialog.getByLabel('Metadata').fill('{"id": 12345678901234567891}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('cannot be stored exactly').waitFor();
    await dialog.getByLabel('Metadata').fill('{"id": "12345678901234567891"}');
    await add({ items: [{ input: ['From elsewhere'] }] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Dataset tickets is at version 4, not 3').waitFor();
    expect(dashboard.faults.splice(0)).toEqual([expect.stringContaining('409')]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await showsVersion(4);
  });

  it('does not edit values whose types JSON cannot hold, and keeps them', async () => {
    const meta = { input: { types: { '/0': 'Date' } } };
    await add({ items: [{ input: ['2026-01-31T00:00:00.000Z'], meta, expected: 'late' }] });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await showsVersion(5);
    await itemWith('2026-01-31').getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit item' });
    await dialog.getByText('so it stays as it is').waitFor();
    await dialog.getByLabel('Expected').fill('too late');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await showsVersion(6);
    const path = routePath(API.datasets.listItems, { name: 'tickets', version: 'latest' });
    const { items: stored } = await dashboard.recorder.get<{ items: object[] }>(path);
    expect(stored).toContainEqual(expect.objectContaining({ meta, expected: 'too late' }));
  });

  it('is added to, edited, reduced, split and replayed by keyboard alone', async () => {
    const input = await watchInput(page);
    await page.goto('/datasets/tickets');
    await items().first().waitFor();
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const goToItem = async (text: string): Promise<void> => {
      const focused = page.locator('tr:focus-within', { hasText: text });
      for (let presses = 0; (await focused.count()) === 0 && presses < 40; presses += 1) await press('j');
    };
    await press('a');
    await page.getByRole('dialog', { name: 'Add item' }).waitFor();
    await page.keyboard.type('Written by keys');
    await press('Tab', 'Tab');
    await page.keyboard.type('yes');
    await press('Tab', 'Tab', 'Enter');
    await showsVersion(7);
    await itemWith('Written by keys').getByText('yes').waitFor();
    await goToItem('Written by keys');
    await press('e');
    await page.getByRole('dialog', { name: 'Edit item' }).waitFor();
    await press('Tab', 'Tab', 'Control+A');
    await page.keyboard.type('no');
    await press('Tab', 'Tab', 'Enter');
    await showsVersion(8);
    await itemWith('Written by keys').getByText('no', { exact: true }).waitFor();
    await goToItem('Written by keys');
    await press('x');
    await page.getByText('1 item selected').waitFor();
    await press('Delete');
    await showsVersion(9);
    await itemWith('Written by keys').waitFor({ state: 'detached' });
    // The command needs the items, which load after the version.
    await items().first().waitFor();
    await press('s');
    const split = page.getByRole('dialog', { name: 'Split' });
    await split.waitFor();
    await press('Control+A');
    await page.keyboard.type('keys-train');
    await press('Tab');
    await page.keyboard.type('keys-test');
    await press('Enter');
    await split.getByRole('link', { name: 'keys-test' }).waitFor();
    await press('Escape', 'r');
    const dialog = page.getByRole('dialog', { name: 'Replay command' });
    const command = 'npx dacapo replay dist/main.js --key route-ticket --dataset tickets@9';
    await dialog.getByText(command).waitFor();
    await press('Enter');
    await dialog.getByRole('button', { name: /^Copied/ }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
    await press('Escape', '?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('add item').waitFor();
    await press('Escape');
    expect((await input()).clicks).toBe(0);
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('breaks no rule of WCAG 2.2 AA with the %s theme, %i pixels wide', async (theme, width) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 844 });
    await page.goto('/datasets/tickets');
    await itemWith('Is it blue?').getByRole('button').click();
    await itemWith('Is it blue?').getByRole('checkbox').click();
    await checkPage(`dataset-${width}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: 'Edit item' }).waitFor();
    await checkPage(`dataset-item-${width}`);
    await page.keyboard.press('Escape');
    await itemWith('Is it blue?').getByRole('checkbox').click();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('is split into two datasets in two clicks', async () => {
    await page.getByRole('button', { name: 'Split' }).click();
    const dialog = page.getByRole('dialog', { name: 'Split' });
    await dialog.getByRole('button', { name: 'Split' }).click();
    await dialog.getByRole('link', { name: 'tickets-train' }).waitFor();
    const counts = (await dialog.getByRole('listitem').allTextContents()).map((text) =>
      Number(/: (\d+) items? added/.exec(text)?.[1]),
    );
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(await items().count());
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  it('shows the last verdict of each item', async () => {
    const run = (await dashboard.recorder.post(API.testRuns.create.path, {
      trace_function_key: 'route-ticket',
      dataset: { name: 'tickets', version: 9 },
    })) as TestRunRecord;
    await dashboard.recorder.reportItems(run.id, [{ item_no: 1, verdict: 'changed', result: 'x' }]);
    await dashboard.recorder.finishTestRun(run.id);
    await page.goto('/datasets/tickets');
    await items().nth(1).getByText('changed').waitFor();
    await page.getByRole('link', { name: 'Last verdict' }).waitFor();
  });

  it('is linked, in the replayed version, from a run that replayed it', async () => {
    const run = (await dashboard.recorder.post(API.testRuns.create.path, {
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
    await page.getByRole('link', { name: 'tickets', exact: true }).waitFor();
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
