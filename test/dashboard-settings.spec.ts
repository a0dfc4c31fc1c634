import { type IndexDetail } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
});

afterAll(() => dashboard.close());

describe('indexes and keys', () => {
  it('search an index', async () => {
    const index = (await dashboard.recorder.post(API.indexes.create.path, {
      name: 'Handbook',
      type: 'OTHER',
    })) as IndexDetail;
    await dashboard.recorder.post(routePath(API.indexes.addDocuments, { index_id: index.index_id }), {
      documents: [
        {
          source: 'refunds.md',
          content: '# Refunds\n\nA refund takes five days.',
          content_type: 'text/markdown',
        },
      ],
    });
    await page.getByRole('link', { name: 'Indexes' }).click();
    await page.getByRole('cell', { name: index.index_id }).waitFor();
    await page.getByLabel('Query').fill('refund');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('A refund takes five days.').waitFor();
  });

  it('show a new key once, and revoke it', async () => {
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Key name').fill('staging');
    expect(await page.getByRole('checkbox', { name: /^ingest/ }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: /^read/ }).check();
    await page.getByRole('button', { name: 'Create key' }).click();
    const apiKey = (await page.getByRole('status').locator('code').textContent()) ?? '';
    expect(
      (await fetch(dashboard.collector.url + API.traces.list.path, { headers: { 'api-key': apiKey } }))
        .status,
    ).toBe(200);

    await page.reload();
    await page.getByRole('cell', { name: 'staging', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'ingest read', exact: true }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain(apiKey);
    await page.getByRole('button', { name: 'Actions for staging' }).click();
    await page.getByRole('button', { name: 'Revoke staging' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('cell', { name: 'staging', exact: true }).waitFor({ state: 'detached' });
    expect(
      (await fetch(dashboard.collector.url + API.traces.list.path, { headers: { 'api-key': apiKey } }))
        .status,
    ).toBe(401);
  });
});

describe('a key', () => {
  it('is created with an expiry and a limit, and rotated', async () => {
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Key name').fill('nightly');
    await page.getByLabel('Expires').selectOption('In 90 days');
    await page.getByLabel('Requests per minute').fill('1200');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Copy “nightly” now').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const rows = page.getByRole('row', { name: /^nightly/ });
    await rows.getByText('1,200 per minute').waitFor();

    await page.getByRole('button', { name: 'Rotate nightly' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate nightly' });
    await dialog.getByLabel('Old key stops working').selectOption('In 1 hour');
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    const apiKey = (await dialog.getByRole('status').locator('code').textContent()) ?? '';
    expect(
      (await fetch(dashboard.collector.url + API.accounts.get.path, { headers: { 'api-key': apiKey } }))
        .status,
    ).toBe(200);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await rows.getByText('rotated').waitFor();
    expect(await rows.count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Rotate nightly' }).count()).toBe(1);
  });
});

describe('the audit log', () => {
  it('lists the changes made on these pages', async () => {
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await page
      .getByRole('row', { name: /api_key\.rotate .* a sign-in link in a browser/ })
      .first()
      .waitFor();
    await page.getByRole('row', { name: /index\.create scrape_\d+ first key/ }).waitFor();
  });
});

describe('signed-in browsers', () => {
  it('are listed, signed out one by one, and all at once', async () => {
    const { url, apiKey = '' } = dashboard.collector;
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click();
    const own = page.getByRole('row', { name: /this browser/ });
    await own.getByText('first key').or(own.getByText('a sign-in link')).waitFor();
    const signedIn = await fetch(url + API.browserSessions.get.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' },
      body: JSON.stringify({ api_key: apiKey }),
    });
    expect(signedIn.status).toBe(204);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out Firefox on Linux' }).click();
    await page.getByRole('cell', { name: 'Firefox on Linux', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
