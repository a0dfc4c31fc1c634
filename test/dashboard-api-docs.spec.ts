import { startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;

beforeAll(async () => {
  dashboard = await startDashboard();
});

afterAll(() => dashboard.close());

describe('the page of the API', () => {
  it('opens an operation, follows its schema, and breaks no policy', async () => {
    const { page, faults } = dashboard;
    await page.goto('/api/docs');
    await page.getByRole('heading', { name: 'Dacapo API' }).waitFor();
    await page.getByText('Lists traces, newest first unless').click();
    await page.getByRole('cell', { name: 'session_id' }).first().waitFor();
    await page.getByText('One span with its payload.').first().click();
    await page.getByRole('link', { name: 'SpanDetail' }).first().click();
    expect(new URL(page.url()).hash).toBe('#schema-SpanDetail');
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('h1')).fontSize`)).toBe(
      '26px',
    );
    expect(faults).toEqual([]);
  });
});
