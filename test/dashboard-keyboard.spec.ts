import { type SpanRecord, newTraceId } from '@dacapo/protocol';
import type { Page } from 'playwright-core';
import { HelpDesk, RECORDED, WORSE } from './dashboard/help-desk.js';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let runUrl: string;
const traceId = newTraceId();

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  const inSession = (session_id: string): SpanRecord =>
    span(newTraceId(), 'chat', 0, { input: ['Hello'], output: 'Hello.' }, { session_id });
  const root = span(traceId, 'answer', 0, { input: ['Refund'], output: 'Yes.' });
  await dashboard.recorder.ingest([
    inSession('chat-1'),
    inSession('chat-1'),
    inSession('chat-2'),
    inSession('chat-3'),
    root,
    span(traceId, 'ask-model', 10, { output: 'Yes.' }, { parent_id: root.id, type: 'llm' }),
  ]);
  const desk = new HelpDesk(dashboard.collector);
  await desk.record();
  await desk.evaluate(RECORDED, 'As recorded');
  await desk.evaluate(WORSE, 'The same again', {});
  runUrl = (await desk.evaluate(WORSE, 'One topic', { changed: 0 })).testRunUrl;
  await desk.close();
});

afterAll(() => dashboard.close());

/** Moves the focus on until an element has it. */
const tabTo = async (locator: ReturnType<Page['locator']>): Promise<void> => {
  await locator.waitFor();
  while (!(await locator.evaluate((one) => one.matches(':focus')))) await page.keyboard.press('Tab');
};

const openPage = async (path: string): Promise<void> => {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page
    .getByText(/^Loading/)
    .first()
    .waitFor({ state: 'detached' });
};

/** A deletion that is done keeps no id. */
const untilDeleted = (sessions: number): Promise<void> =>
  page
    .getByRole('row', { name: /traces of a session .*done/ })
    .nth(sessions - 1)
    .waitFor();

describe('the theme', () => {
  it('follows the system until the reader chooses one, which this browser remembers', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const background = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(15, 17, 21)');
    await page.getByRole('button', { name: 'default' }).click();
    await page.getByRole('group', { name: 'Theme' }).getByRole('button', { name: 'light' }).click();
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.reload();
    await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    expect(await background()).toBe('rgb(255, 255, 255)');
  });
});

describe('by keyboard alone', () => {
  it('three runs are compared, and one call of them is opened', async () => {
    await page.goto('/');
    await tabTo(page.getByRole('navigation').getByRole('link', { name: 'Runs' }));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'As recorded' }).waitFor();
    for (let run = 0; run < 3; run += 1) {
      await page.keyboard.press('j');
      await page.keyboard.press('x');
    }
    await page.getByRole('link', { name: 'Compare 3 runs' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Compare 3 runs', level: 1 }).waitFor();
    await page.getByRole('group', { name: 'Calls by runs' }).getByRole('button').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'As recorded' }).waitFor();
    await page.getByRole('region', { name: 'One topic' }).waitFor();
  });

  it('a session is deleted', async () => {
    await openPage('/sessions/chat-1');
    await tabTo(page.getByRole('button', { name: 'Actions for this session' }));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete this session?' });
    await dialog.getByText('2 traces with 2 spans').waitFor();
    await tabTo(dialog.getByLabel('Type chat-1 to confirm'));
    await page.keyboard.type('chat-1');
    await tabTo(dialog.getByRole('button', { name: 'Delete session' }));
    await page.keyboard.press('Enter');
    await untilDeleted(1);
  });

  it('the spans of a trace are walked through', async () => {
    await openPage(`/traces/${traceId}`);
    await page.keyboard.press('j');
    await page.locator('[role=treeitem][aria-selected=true]', { hasText: 'ask-model' }).waitFor();
    await page.keyboard.press('k');
    await page.locator('[role=treeitem][aria-selected=true]', { hasText: 'answer' }).waitFor();
  });

  it('rows are walked from the one with the focus', async () => {
    await openPage(runUrl);
    const calls = page.getByRole('list', { name: 'Replayed calls' }).locator('> li');
    await calls.nth(1).getByRole('link', { name: 'Recorded trace' }).focus();
    await page.keyboard.press('k');
    await calls.first().locator('button[data-row]:focus').waitFor();
  });

  it('the search is reached', async () => {
    await openPage('/traces');
    await page.keyboard.press('/');
    await page.locator('input[type=search]:focus').waitFor();
  });
});

it('a session is deleted by mouse, too', async () => {
  await openPage('/sessions/chat-2');
  await page.getByRole('button', { name: 'Actions for this session' }).click();
  await page.getByRole('button', { name: 'Delete session …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this session?' });
  await dialog.getByText('1 trace with 1 span').waitFor();
  await dialog.getByRole('button', { name: 'Delete session' }).click();
  await untilDeleted(2);
});

describe('keys', () => {
  it('do nothing while a menu is open', async () => {
    await openPage('/test-runs');
    await page.getByRole('button', { name: 'default' }).click();
    await page.keyboard.press('j');
    await page.locator('[popover]:popover-open').waitFor();
    expect(await page.locator('main :focus').count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it.each([
    ['the overview', () => '/'],
    ['the list of traces', () => '/traces'],
    ['a trace', () => `/traces/${traceId}`],
    ['a session', () => '/sessions/chat-3'],
    ['the list of runs', () => '/test-runs'],
    ['a run', () => runUrl],
    ['the review', () => '/review'],
    ['API keys', () => '/api-keys'],
  ])('that act on %s are in the list of keys', async (_, path) => {
    await openPage(path());
    // Parts that load later bring keys, too.
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.waitFor();
    const listed = await dialog.locator('kbd').allTextContents();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const shown = await page
      .locator('[aria-keyshortcuts]')
      .evaluateAll((elements) => elements.map((one) => one.getAttribute('aria-keyshortcuts') ?? ''));
    expect(shown.filter((key) => !listed.includes(key.replace('Shift+', '⇧')))).toEqual([]);
    const unlisted = Array.from('abcdefghijklmnopqrstuvwxyz0123456789/').filter(
      (key) => !listed.includes(key),
    );
    // A key that acts takes its event.
    const acting = await page.evaluate<string[]>(`${JSON.stringify(unlisted)}.filter((key) => {
      const code = /[0-9]/.test(key) ? 'Digit' + key : '';
      const event = new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true });
      return !document.body.dispatchEvent(event);
    })`);
    expect(acting).toEqual([]);
  });
});

it('violates no content security policy, logs no error and requests no other host', () => {
  expect(dashboard.faults).toEqual([]);
});
