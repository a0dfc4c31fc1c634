import { newTraceId, type SpanData, type SpanRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { source } from 'axe-core';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { RunningReplay } from './cli-replay/run-replay.js';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';
import { watchInput } from './dashboard/watch-input.js';
import { removeFolder } from './support/remove-folder.js';
import { until } from './support/until.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
const refund = newTraceId();

/** 42 kB of base64, as a photo in a request is. */
const IMAGE = `data:image/png;base64,${'iVBORw0KGgo9Zz'.repeat(3_000)}`;

/** `hours` ago, as the histogram and `since:24h` need it. */
const ago = (record: SpanRecord, hours: number): SpanRecord => ({
  ...record,
  started_at: new Date(Date.now() - hours * 3_600_000).toISOString(),
});

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const request = span(refund, 'POST /refunds', 0, { input: [{ method: 'POST', path: '/refunds' }] });
  const error = { name: 'LedgerLockTimeout', message: 'could not acquire the ledger lock for INV-90412' };
  const data: SpanData = { input: [{ photo: IMAGE, note: 'The box came with a torn label.' }], error };
  const post = span(refund, 'post-refund', 10, data, { parent_id: request.id, type: 'function' });
  const others = Array.from({ length: 300 }, (_, index) =>
    ago(span(newTraceId(), 'chat', 0, { input: [`question ${index}`], output: 'answered' }), 12 + index / 60),
  );
  await dashboard.recorder.ingest([ago(request, 10), ago(post, 9.99), ...others]);
});

afterAll(() => dashboard.close());

const search = async (line: string): Promise<void> => {
  await page.keyboard.press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
};

const rows = () => page.locator('tbody tr[data-row-id]');

const findings = async (): Promise<string[]> => {
  await page.evaluate(source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { target: string[] }[] }[] }>(
    'axe.run(document)',
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
};

describe('a failed inner call is found by a word behind an image', () => {
  const showsCause = async (): Promise<void> => {
    await page.getByRole('heading', { name: 'post-refund', level: 2 }).waitFor();
    await page.getByRole('region', { name: 'Error' }).getByText('could not acquire').first().waitFor();
  };
  const replay = () => page.getByRole('dialog', { name: 'Replay command' });

  it('by mouse, its cause and its replay command within two clicks', async () => {
    await page.goto('/traces?since=24h&status=error&text=torn');
    const row = rows().filter({ hasText: 'post-refund' });
    await row.locator('mark', { hasText: 'torn' }).waitFor();
    expect(await row.textContent()).toContain('in POST /refunds');
    expect(await row.textContent()).not.toContain('iVBOR');
    await row.locator('mark').click();
    await showsCause();
    await page.getByRole('button', { name: 'Replay command' }).click();
    expect(await replay().getByText('npx dacapo replay').textContent()).toContain(
      `--key post-refund --trace-id ${refund}`,
    );
    expect(await findings()).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('by keyboard alone', async () => {
    await page.goto('/traces');
    await rows().first().waitFor();
    await search('since:24h status:error torn');
    await rows().filter({ hasText: 'post-refund' }).waitFor();
    await rows().nth(1).waitFor({ state: 'detached' });
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await showsCause();
    await page.keyboard.press('r');
    await replay().getByText(`--trace-id ${refund}`).waitFor();
    await page.keyboard.press('Escape');
    await replay().waitFor({ state: 'detached' });
  });
});

describe('the list', () => {
  it('renders the rows in view alone, and loads more at its end', async () => {
    await page.goto('/traces');
    await rows().first().waitFor();
    expect(await rows().count()).toBeLessThan(60);
    const table = page.getByRole('table');
    const viewport = table.locator('..');
    while (Number(await table.getAttribute('aria-rowcount')) < 301) {
      await viewport.evaluate((one) => {
        one.scrollTo(0, one.scrollHeight);
      });
      await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
    }
    await page.getByText('question 299').waitFor();
    expect(await rows().count()).toBeLessThan(60);
  });

  it('counts what arrives, moves no row, and shows it on demand', async () => {
    await page.goto('/traces');
    await rows().first().waitFor();
    const first = await rows().first().getAttribute('data-row-id');
    const arriving = span(newTraceId(), 'just now', 0, { output: 'new' });
    await dashboard.recorder.ingest([ago(arriving, 0)]);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows().first().getAttribute('data-row-id')).toBe(first);
    expect(await findings()).toEqual([]);
    await page.keyboard.press('n');
    await page.locator(`tr[data-row-id="${arriving.trace_id}"]`).waitFor();
    await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' });
  });

  it('loads the newest rows whenever the service sends an event', async () => {
    const asked = { events: 0, rows: 0 };
    await page.route('**/api/v1/live', async (route) => {
      asked.events += 1;
      const body = 'retry: 50\n\nevent: change\ndata: {}\n\n';
      await route.fulfill({ contentType: 'text/event-stream', body });
    });
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === API.traces.list.path) asked.rows += 1;
    });
    await page.goto('/traces');
    // By polling, it would take a minute.
    while (asked.rows < 20) await page.waitForRequest(`**${API.traces.list.path}*`);
    expect(asked.events).toBeGreaterThan(5);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('polls where a proxy passes no event', async () => {
    await page.route('**/api/v1/live', (route) => route.fulfill({ status: 502, body: 'no' }));
    await page.goto('/traces');
    await rows().first().waitFor();
    const arriving = span(newTraceId(), 'polled', 0, { output: 'new' });
    await dashboard.recorder.ingest([ago(arriving, 0)]);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    dashboard.faults.length = 0;
  });

  it('shows an unfinished trace end', async () => {
    const ended = span(newTraceId(), 'slow', 0, { output: 'at last' });
    const begun: SpanRecord = { ...ago(ended, 0), status: 'unfinished', span_data: {} };
    delete begun.ended_at;
    delete begun.duration_ms;
    await dashboard.recorder.ingest([begun]);
    await page.goto('/traces?trace_function_key=slow');
    const row = page.locator(`tr[data-row-id="${ended.trace_id}"]`);
    await row.getByText('unfinished').waitFor();
    await dashboard.recorder.ingest([{ ...ended, started_at: begun.started_at }]);
    await row.getByText('at last').waitFor();
  });

  it('remembers a view in the rail', async () => {
    await page.goto('/traces');
    await rows().first().waitFor();
    await search('status:error');
    await page.waitForURL('**/traces?status=error');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('s');
    await page.getByRole('dialog', { name: 'Save view' }).getByLabel('Name').fill('Failed');
    await page.keyboard.press('Enter');
    const view = page.getByRole('link', { name: 'Failed', exact: true });
    await view.and(page.locator('[aria-current=page]')).waitFor();
    expect(await findings()).toEqual([]);
    await page.goto('/traces');
    await view.click();
    await page.waitForURL('**/traces?status=error');
    await page.getByRole('button', { name: 'Remove view' }).click();
    await view.waitFor({ state: 'detached' });
  });

  it('hides and shows columns, also after a reload', async () => {
    await page.goto('/traces');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Tokens' }).uncheck();
    await page.getByRole('columnheader', { name: 'Tokens' }).waitFor({ state: 'detached' });
    expect(await findings()).toEqual([]);
    await page.reload();
    await page.getByRole('columnheader', { name: 'Cost' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Tokens' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Tokens' }).check();
    await page.keyboard.press('Escape');
  });

  it('is narrowed by dragging over the histogram, and by its keys', async () => {
    await page.goto('/traces');
    const histogram = page.getByRole('slider', { name: 'Start of traces' });
    const box = await histogram.boundingBox();
    const y = (box?.y ?? 0) + 10;
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.5, y);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.7, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    await histogram.press('Escape');
    await page.waitForURL((url) => url.search === '');
    await histogram.press('ArrowLeft');
    await histogram.press('Shift+ArrowLeft');
    await histogram.press('Enter');
    await page.waitForURL(/since=.*until=/);
  });
});

describe('five traces are collected into a dataset and replayed', () => {
  const selectFive = async (select: (no: number) => Promise<void>): Promise<void> => {
    await page.goto('/traces?trace_function_key=chat');
    await rows().nth(5).waitFor();
    for (let no = 0; no < 5; no += 1) await select(no);
    await page.getByText('5 traces selected').waitFor();
    expect(await findings()).toEqual([]);
  };
  const dialog = () => page.getByRole('dialog', { name: 'Add to dataset' });
  const readCommand = async (): Promise<string> => {
    await dialog().getByText('Added 5 calls to').waitFor();
    expect(await findings()).toEqual([]);
    return (await dialog().locator('pre').textContent()) ?? '';
  };

  /** Runs the command with a version that answers the first question otherwise, and returns what is printed. */
  const replay = async (command: string): Promise<string> => {
    const folder = await mkdtemp(join(__dirname, '.collected-'));
    const module = join(folder, 'main.cjs');
    await writeFile(
      module,
      `const { Tracer } = require('@dacapo/tracer');
exports.chat = new Tracer().withSpan('chat', (text) => (text === 'question 0' ? 'otherwise' : 'answered'));`,
    );
    const args = command.replace('npx dacapo replay dist/main.js', '').trim().split(' ');
    const run = RunningReplay.start([module, '--export', 'chat', ...args], {
      TRACER_API_KEY: dashboard.collector.apiKey ?? '',
      TRACER_SERVICE_URL: dashboard.collector.url,
    });
    const { exit, out, err } = await run.ended();
    await removeFolder(folder);
    expect([exit, err]).toEqual([0, expect.any(String)]);
    return out;
  };

  it('by mouse, in seven clicks', async () => {
    const input = await watchInput(page);
    await selectFive((no) => rows().nth(no).getByRole('checkbox').click());
    await page.getByRole('button', { name: /^Add to dataset/ }).click();
    await dialog().locator('input:focus').waitFor();
    await page.keyboard.type('chats-by-mouse');
    await dialog().getByRole('button', { name: 'Create and add' }).click();
    const command = await readCommand();
    expect((await input()).clicks).toBe(7);
    expect(command).toContain('--key chat --dataset chats-by-mouse@1');
    expect(await replay(command)).toContain('5 calls replayed, 4 unchanged, 1 changed.');
    await dialog().getByRole('link', { name: 'chats-by-mouse' }).click();
    await page.getByRole('row').filter({ hasText: 'question 0' }).getByText('changed').waitFor();
  });

  it('by keyboard alone', async () => {
    const input = await watchInput(page);
    await selectFive(async () => {
      await page.keyboard.press('j');
      await page.keyboard.press('x');
    });
    await page.keyboard.press('d');
    await dialog().locator('input:focus').waitFor();
    await page.keyboard.type('chats-by-keyboard');
    await page.keyboard.press('Enter');
    const command = await readCommand();
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
    expect((await input()).clicks).toBe(0);
    expect(await replay(command)).toContain('5 calls replayed, 4 unchanged, 1 changed.');
  });

  it('and selected traces are exported', async () => {
    await page.goto('/traces?trace_function_key=chat');
    await rows().nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const download = page.waitForEvent('download');
    await page.keyboard.press('e');
    expect((await download).suggestedFilename()).toBe('traces.ndjson');
    await page.keyboard.press('Escape');
    await page.getByText('1 trace selected').waitFor({ state: 'detached' });
  });
});

describe('a session is deleted', () => {
  it.each([
    ['by mouse', 'conversation-mouse', (name: string) => page.getByRole('button', { name }).click()],
    [
      'by keyboard',
      'conversation-keys',
      async (name: string) => {
        await page.getByRole('button', { name }).focus();
        await page.keyboard.press('Enter');
      },
    ],
  ])('%s', async (_, session, press) => {
    const turns = [0, 1].map((turn) => span(newTraceId(), 'turn', turn, { output: 'said' }));
    await dashboard.recorder.ingest(
      turns,
      turns.map(({ trace_id: id }) => ({ id, session_id: session })),
    );
    await page.goto(`/?session_id=${session}`);
    await rows().nth(1).waitFor();
    await press('Actions for this session');
    await press('Delete session …');
    const dialog = page.getByRole('dialog', { name: 'Delete this session?' });
    await dialog.getByText('2 traces with 2 spans').waitFor();
    expect(await findings()).toEqual([]);
    await dialog.getByLabel(`Type ${session} to confirm`).fill(session);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Data', level: 1 }).waitFor();
    // The row of a finished deletion names no session.
    const remaining = `${API.traces.list.path}?session_id=${session}`;
    await until(
      async () => (await dashboard.recorder.get<{ items: unknown[] }>(remaining)).items.length === 0,
    );
    await page.goto(`/?session_id=${session}`);
    await page.getByText('No trace matches these filters.').waitFor();
  });
});

it.each([
  ['light', 1440],
  ['dark', 390],
] as const)('breaks no rule of WCAG 2.2 AA with the %s theme, %i pixels wide', async (colorScheme, width) => {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 844 });
  await page.goto('/traces?status=error&text=torn');
  await page.locator('mark').first().waitFor();
  await rows().first().getByRole('checkbox').check();
  expect(await findings()).toEqual([]);
});

it('violates no content security policy, logs no error and requests no other host', () => {
  expect(dashboard.faults).toEqual([]);
});
