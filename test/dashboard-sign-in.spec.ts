import { startDashboard } from './dashboard/start-dashboard.js';

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
