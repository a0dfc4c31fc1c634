import { newTraceId, type SpanRecord } from '@dacapo/protocol';
import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

const SESSION = 'chat/ann 7';
const TURNS = 120;
const FAILED = 3;

/** A request with a model call inside. */
function turn(no: number): SpanRecord[] {
  const trace = newTraceId();
  const error = { name: 'TimeoutError', message: 'no answer after 20 s' };
  const root = span(
    trace,
    'POST /chat',
    no * 60_000,
    no === FAILED
      ? { input: [{ method: 'POST', path: '/chat' }], error }
      : { input: [{ method: 'POST', path: '/chat' }], output: { status: 200 } },
    { session_id: SESSION, type: 'function' },
  );
  const messages = [
    { role: 'system', content: 'Answer as the help desk.' },
    { role: 'user', content: 'An earlier question' },
    { role: 'assistant', content: 'An earlier answer' },
    { role: 'user', content: `Question ${no}` },
  ];
  const answer = { role: 'assistant', content: `Answer **${no}**\n\n- one\n- two` };
  const model = span(
    trace,
    'support.chat',
    no * 60_000 + 10,
    {
      input: [{ model: 'gpt-4o', messages }],
      ...(no === FAILED ? { error } : { output: { choices: [{ message: answer }] } }),
      usage: { model: 'gpt-4o', provider: 'openai', input_tokens: 1_000, output_tokens: 100 },
    },
    { session_id: SESSION, type: 'llm', parent_id: root.id },
  );
  return [root, model];
}

const job = span(
  newTraceId(),
  'tidy-up',
  TURNS * 60_000,
  { input: [{ job: 7 }], output: { done: true } },
  {
    session_id: SESSION,
  },
);

const turns = () => page.getByRole('list', { name: 'Turns' }).locator('> li');
const turnAt = (no: number) => turns().nth(no);

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await dashboard.recorder.ingest([...Array.from({ length: TURNS }, (_, no) => turn(no)).flat(), job]);
});

afterAll(() => dashboard.close());

const readClipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');

const replayFrom = (no: number) =>
  `npx dacapo replay dist/main.js --key support.chat --session 'chat/ann 7' --since 2026-03-04T14:${String(no).padStart(2, '0')}:00.000000Z`;

describe('a session', () => {
  it('is a conversation, oldest first, one click from the list', async () => {
    await page.goto('/sessions');
    await page.getByRole('link', { name: SESSION }).click();
    await page.getByRole('heading', { name: SESSION, level: 1 }).waitFor();
    await turnAt(0).getByText('Question 0').waitFor();
    await turnAt(0).getByText('An earlier question').waitFor({ state: 'detached' });
    await turnAt(0).getByText('Answer 0').waitFor();
    await turnAt(0).locator('strong', { hasText: '0' }).waitFor();
    expect(await turnAt(0).locator('header').innerText()).toContain('1.00 s');
    expect(await turnAt(0).locator('header').innerText()).toContain('$0.0035');
  });

  it('shows a failed turn in its place, with the question and the error', async () => {
    await turnAt(FAILED).getByText(`Question ${FAILED}`).waitFor();
    await turnAt(FAILED).getByText('TimeoutError').waitFor();
    expect(await turnAt(FAILED).getAttribute('data-failed')).toBe('true');
  });

  it('copies the command that replays from a turn', async () => {
    await turnAt(2).getByRole('button', { name: 'Replay from here' }).click();
    await turnAt(2).getByRole('button', { name: 'Copied' }).waitFor();
    expect(await readClipboard()).toBe(replayFrom(2));
  });

  it('loads page by page while the reader scrolls, and shows other calls shortly', async () => {
    expect(await turns().count()).toBe(50);
    for (let last = 49; (await turns().count()) <= TURNS; last = (await turns().count()) - 1)
      await turnAt(last).scrollIntoViewIfNeeded();
    await turnAt(TURNS).scrollIntoViewIfNeeded();
    await turnAt(TURNS).getByText('{"job":7}').waitFor();
    await turnAt(TURNS - 1)
      .getByText(`Question ${TURNS - 1}`)
      .waitFor();
    await page.getByText('121 turns').waitFor();
  });

  it('follows the live stream: counts new turns, moves nothing, and shows them on demand', async () => {
    const next = turn(TURNS + 1);
    const [begun] = next;
    if (begun === undefined) throw new Error('no span');
    const open = { ...begun, status: 'unfinished' as const, span_data: {} };
    delete open.ended_at;
    delete open.duration_ms;
    await dashboard.recorder.ingest([open]);
    await page.getByRole('button', { name: '1 new turn' }).waitFor();
    await dashboard.recorder.ingest(turn(TURNS + 2));
    const button = page.getByRole('button', { name: '2 new turns' });
    await button.waitFor();
    expect(await turns().count()).toBe(TURNS + 1);
    await button.click();
    await turnAt(TURNS + 2)
      .getByText(`Question ${TURNS + 2}`)
      .waitFor();
    await turnAt(TURNS + 1)
      .locator('a:focus')
      .waitFor();
    await turnAt(TURNS + 1)
      .getByText('The call has not ended yet.')
      .waitFor();
    await button.waitFor({ state: 'detached' });
    await dashboard.recorder.ingest(next);
    await turnAt(TURNS + 1)
      .getByText(`Answer ${TURNS + 1}`)
      .waitFor();
    await dashboard.recorder.ingest(turn(TURNS + 3));
    await page.getByRole('button', { name: '1 new turn' }).waitFor();
    await page.keyboard.press('n');
    await turnAt(TURNS + 3)
      .locator('a:focus')
      .waitFor();
  });

  it('is announced in the list, whose rows stay where they are, unless live rows are off', async () => {
    await page.goto('/sessions');
    const names = page.locator('tbody a');
    await names.first().waitFor();
    const shown = await names.allTextContents();
    const other = { session_id: 'chat/bob' };
    await dashboard.recorder.ingest(turn(TURNS + 4).map((record) => ({ ...record, ...other })));
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
    expect(await names.allTextContents()).toEqual(shown);
    await page.keyboard.press('n');
    await page.getByRole('link', { name: 'chat/bob' }).waitFor();
    expect(await names.allTextContents()).toEqual(['chat/bob', ...shown]);
    await dashboard.recorder.ingest(turn(TURNS + 5));
    const traces = page.getByRole('row', { name: SESSION }).getByRole('cell').nth(1);
    await traces.getByText(String(TURNS + 5)).waitFor();
    expect(await names.allTextContents()).toEqual(['chat/bob', ...shown]);
    await page.keyboard.press('l');
    await page.getByRole('button', { name: 'Live', pressed: false }).waitFor();
    await page.keyboard.press('l');
  });

  it('is read by keyboard alone: to the failed turn, its command, its trace', async () => {
    await page.goto('/sessions');
    await page.getByRole('link', { name: SESSION }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await turnAt(4).waitFor();
    await page.keyboard.press('j');
    await turnAt(0).locator('a:focus').waitFor();
    await page.keyboard.press('f');
    await turnAt(FAILED).locator('a:focus').waitFor();
    await page.keyboard.press('r');
    await turnAt(FAILED).getByRole('button', { name: 'Copied' }).waitFor();
    expect(await readClipboard()).toBe(replayFrom(FAILED));
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next failed turn').waitFor();
    await page.keyboard.press('Escape');
    await turnAt(FAILED).getByRole('link').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'POST /chat', level: 1 }).waitFor();
  });

  it('that is unknown says so', async () => {
    await page.goto('/sessions/none');
    await page.getByText('No recorded traces in this session.').waitFor();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('breaks no rule of WCAG 2.2 AA with the %s theme, %i pixels wide', async (theme, width) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`/sessions/${encodeURIComponent(SESSION)}`);
    await turnAt(FAILED).getByText(`Question ${FAILED}`).waitFor();
    await turnAt(0).locator('strong').waitFor();
    const overhangPx = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overhangPx)).toBe(0);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/session-${width}.png` });
    await page.evaluate(source);
    const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run(document)');
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  it('violates no content security policy and logs no error', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
