import { API } from '@dacapo/protocol/api';
import { startDashboard } from './dashboard/start-dashboard.js';
import { until } from './support/until.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;

beforeAll(async () => {
  dashboard = await startDashboard();
});

afterAll(() => dashboard.close());

describe('a signed-out visitor', () => {
  it.each(['/', '/test-runs/1', '/api-keys', '/sign-in?token=guessed'])(
    'sees the sign-in page at %s',
    async (path) => {
      const visitor = await dashboard.visit();
      await visitor.page.goto(path);
      await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await visitor.page.getByRole('table').count()).toBe(0);
      await visitor.page.context().close();
    },
  );

  it('sees why a key is rejected, and signs in with a valid one', async () => {
    const visitor = await dashboard.visit();
    await visitor.page.goto('/sessions');
    await visitor.page.getByLabel('API key').fill('a-guess');
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByText('Invalid API key').waitFor();
    await visitor.page.getByLabel('API key').fill(dashboard.collector.apiKey ?? '');
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    await visitor.page.getByRole('button', { name: 'default' }).click();
    await visitor.page.getByRole('button', { name: 'Sign out' }).click();
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await visitor.page.context().cookies()).toEqual([]);
    expect(visitor.faults).toEqual([]);
    await visitor.page.context().close();
  });
});

describe('the one-time link', () => {
  it('signs in and shows the first step', async () => {
    const { page, collector, faults } = dashboard;
    await page.goto(collector.dashboardUrl);
    await page.getByRole('heading', { name: 'Send your first call' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/traces');
    expect(await page.title()).toBe('Traces · Dacapo');
    await page.getByText('Waiting for your first call').first().waitFor();
    expect(faults).toEqual([]);
  });

  it('is rejected the second time', async () => {
    const visitor = await dashboard.visit();
    await visitor.page.goto(dashboard.collector.dashboardUrl);
    await visitor.page.getByText('This sign-in link was already used').waitFor();
    await visitor.page.context().close();
  });
});

describe('the code of a page', () => {
  it('loads while the account is read', async () => {
    const { page } = dashboard;
    await page.goto('/traces');
    await page.getByRole('link', { name: 'Members' }).waitFor({ state: 'attached' });
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**${API.browserSessions.get.path}`, async (route) => {
      await asked;
      await route.continue();
    });
    const code = page.waitForResponse(/member-list-page.*\.js$/);
    await page.goto('/members');
    await code;
    expect(await page.getByRole('heading').count()).toBe(0);
    answer();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    await page.unrouteAll();
  });

  it('can be asked for again when it could not be loaded', async () => {
    const { page } = dashboard;
    await page.goto('/traces');
    await page.route(/dataset-list-page.*\.js$/, (route) => route.abort());
    await page.getByRole('link', { name: 'Datasets' }).first().click();
    await page.getByRole('heading', { name: 'This page crashed' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Datasets', level: 1 }).waitFor();
  });

  it('can load after its menu opened, which stays inside the window', async () => {
    const { page } = dashboard;
    let load = (): void => undefined;
    const asked = new Promise<void>((resolve) => (load = resolve));
    await page.route(/account-menu.*\.js$/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto('/members');
    await page.getByRole('button', { name: 'default' }).click();
    load();
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await signOut.waitFor();
    const heightPx = page.viewportSize()?.height ?? 0;
    await until(async () => {
      const box = await signOut.boundingBox();
      return box !== null && box.y + box.height < heightPx;
    });
    await page.unrouteAll();
  });
});
