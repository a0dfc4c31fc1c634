import { newTraceId, ROUTES } from '@dacapo/protocol';
import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { HelpDesk, WORSE } from './dashboard/help-desk.js';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let runUrl: string;
const traceId = newTraceId();

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  const { recorder } = dashboard;
  const failed = { name: 'TypeError', message: 'subject is undefined', stack: 'TypeError\n    at route' };
  await recorder.ingest(
    [
      span(
        traceId,
        'route',
        0,
        { input: ['Refund'], error: failed, prompt: 'user:\nRefund' },
        { type: 'llm' },
      ),
    ],
    [{ id: traceId, session_id: 'conversation-1', metadata: { release: 'r7' } }],
  );
  await recorder.post(ROUTES.datasets, { name: 'tickets', description: 'What customers ask.' });
  await recorder.post(ROUTES.indexes, { name: 'handbook', type: 'API' });
  await recorder.post(ROUTES.members, { name: 'Ada', role: 'developer' });
  const desk = new HelpDesk(dashboard.collector);
  await desk.record();
  const run = await desk.evaluate(WORSE, 'One topic', { changed: 0, scores: { accuracy: { min: 0.9 } } });
  runUrl = run.testRunUrl;
  await desk.close();
});

afterAll(() => dashboard.close());

interface Finding {
  id: string;
  nodes: { target: string[] }[];
}

/** Rules of WCAG 2.2 AA, and best practices, that the page breaks. */
const findings = async (): Promise<string[]> => {
  await page.evaluate(source);
  const { violations } = await page.evaluate<{ violations: Finding[] }>('axe.run(document)');
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
};

const look = async (theme: 'light' | 'dark', width: number): Promise<void> => {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 844 });
};

const PAGES: [name: string, path: () => string, shown: string | RegExp][] = [
  ['the list of traces', () => '/', 'route-ticket'],
  ['a search without a match', () => '/?session_id=none', 'No trace matches these filters.'],
  ['a trace', () => `/traces/${traceId}`, 'subject is undefined'],
  ['sessions', () => '/sessions', 'conversation-1'],
  ['metrics', () => '/metrics-by-key', /^(Trace function keys|No calls in this period\.)$/],
  ['runs', () => '/test-runs', 'One topic'],
  ['a run', () => runUrl, 'What changed'],
  ['datasets', () => '/datasets', 'What customers ask.'],
  ['a dataset', () => '/datasets/tickets', 'What customers ask.'],
  ['indexes', () => '/indexes', 'handbook'],
  ['API keys', () => '/api-keys', 'first key'],
  ['members', () => '/members', 'Ada'],
  ['data', () => '/data', 'Retention'],
  ['the audit log', () => '/audit-log', 'index.create'],
];

describe.each([
  ['light', 1440],
  ['dark', 390],
] as const)('with the %s theme, %i pixels wide,', (theme, width) => {
  beforeAll(() => look(theme, width));

  it.each(PAGES)('%s breaks no rule of WCAG 2.2 AA', async (_, path, shown) => {
    await page.goto(path());
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText(shown).filter({ visible: true }).first().waitFor();
    expect(await findings()).toEqual([]);
  });
});

describe('the theme', () => {
  it('follows the system until the reader chooses one, which this browser remembers', async () => {
    await look('dark', 1440);
    await page.goto('/');
    const background = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(15, 17, 21)');
    await page.getByRole('button', { name: 'default' }).click();
    await page.getByRole('group', { name: 'Theme' }).getByRole('button', { name: 'light' }).click();
    expect(await background()).toBe('rgb(255, 255, 255)');
    expect(await findings()).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    expect(await background()).toBe('rgb(255, 255, 255)');
  });
});

describe('the keys', () => {
  it('move between rows, search, and are listed', async () => {
    await page.goto('/test-runs');
    await page.getByRole('link', { name: 'One topic' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'One topic', level: 1 }).waitFor();
    await page.getByRole('region', { name: 'What changed' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Calls with this change' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next and previous row').waitFor();
    expect(await findings()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.goto('/');
    await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.locator('input[type=search]:focus').waitFor();
  });

  it('go on from the row with the focus', async () => {
    await page.goto(runUrl);
    const calls = page.getByRole('list', { name: 'Replayed calls' }).locator('> li');
    await calls.nth(1).getByRole('link', { name: 'Recorded trace' }).focus();
    await page.keyboard.press('k');
    await calls.first().locator('button[data-row]:focus').waitFor();
  });

  it('do nothing while a menu is open', async () => {
    await look('light', 1440);
    const account = page.getByRole('button', { name: 'default' });
    await account.click();
    await page.keyboard.press('j');
    await page.locator('[popover]:popover-open').waitFor();
    expect(await page.locator('main :focus').count()).toBe(0);
    await page.keyboard.press('Escape');
  });
});

it('violates no content security policy, logs no error and requests no other host', () => {
  expect(dashboard.faults).toEqual([]);
});
