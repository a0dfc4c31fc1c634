import { type TestRunItemSummary } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { HelpDesk, RECORDED, WORSE } from './dashboard/help-desk.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let desk: HelpDesk;

const GATE = { errors: 0, scores: { accuracy: { min: 0.9, maxDrop: 0.02 } } };

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  desk = new HelpDesk(dashboard.collector);
  await desk.record();
});

afterAll(async () => {
  await desk.close();
  await dashboard.close();
});

const runId = (): string => new URL(page.url()).pathname.split('/').at(-1) ?? '';
const decision = () => page.getByRole('region', { name: 'Decision' });
const items = () => page.getByRole('list', { name: 'Replayed calls' }).locator('> li');

describe('a run that fails its gate', () => {
  let failures: string[];

  beforeAll(async () => {
    const run = await desk.evaluate(WORSE, 'One topic', GATE);
    failures = run.failures;
    await page.goto(run.testRunUrl);
  });

  it('opens with the decision and every reason', async () => {
    await decision().getByRole('heading', { name: 'Do not ship', exact: true }).waitFor();
    await decision()
      .getByText(/^Failed \d of \d checks$/)
      .waitFor();
    expect(failures.length).toBeGreaterThan(1);
    expect(await decision().getByRole('listitem').allTextContents()).toEqual(failures);
    const box = await decision().boundingBox();
    expect(box?.y).toBeLessThan(200);
    await decision().getByText('All checks').click();
    const rows = decision().getByRole('table', { name: 'Checks' }).getByRole('row');
    await rows.filter({ hasText: 'scores.accuracy.min' }).waitFor();
    expect(await rows.allTextContents()).toContain('failedscores.accuracy.minmean at least 0.90.3');
  });

  it('groups equal changes, and opens the calls of a group', async () => {
    const groups = page.getByRole('list', { name: 'Groups of equal changes' });
    const rows = groups.getByRole('button', { name: /calls?$/ });
    await rows.first().waitFor();
    expect((await rows.allTextContents()).sort()).toEqual([
      'Different inner calls3 calls',
      'output "billing" → "other"3 calls',
      'output "damage" → "other"2 calls',
      'output "return" → "other"2 calls',
    ]);
    await rows.first().click();
    const calls = groups.getByRole('list', { name: 'Calls with this change' }).locator('> li');
    expect(await calls.count()).toBe(3);
    await calls.first().getByText('Baseline', { exact: true }).waitFor();
    await rows.first().click();
  });

  it('shows scores and durations with their intervals and changes', async () => {
    const accuracy = page
      .getByRole('region', { name: 'Scores', exact: true })
      .getByRole('row', { name: /^accuracy/ });
    const cells = await accuracy.getByRole('cell').allTextContents();
    expect(cells).toEqual([
      '0.3',
      expect.stringMatching(/^0\.\d+ to 0\.\d+$/),
      '10',
      '−0.7',
      expect.stringMatching(/^−[01](\.\d+)? to −0\.\d+, p = 0\.\d+ against 0\.02$/),
      '7 worse, 0 better',
    ]);
    const duration = page
      .getByRole('region', { name: 'Duration and usage' })
      .getByRole('row', { name: /^Duration/ });
    const times = Array.from({ length: 3 }, () => expect.stringMatching(/\d ms$/) as string);
    expect((await duration.getByRole('cell').allTextContents()).slice(0, 4)).toEqual([...times, '–']);
  });

  it('shows the scores and the inner calls of each call', async () => {
    const changed = items().filter({ hasText: 'changed' }).first();
    await changed
      .getByRole('list', { name: 'Scores', exact: true })
      .getByText('accuracy false (was true)')
      .waitFor();
    const scores = changed.getByRole('group', { name: 'Scores of this call' });
    await scores.getByText('One through its length.').waitFor();
    await changed.getByRole('group', { name: 'Inner calls that differ' }).getByText('find-abuse').waitFor();
  });

  it('filters calls by verdict and by score on the service', async () => {
    expect(await items().count()).toBe(10);
    await page.getByRole('button', { name: 'accuracy', exact: true }).click();
    await page.waitForURL('**?score=accuracy&score_below=0.9');
    await page.getByLabel('Below').fill('0.5');
    const request = page.waitForRequest(/score=accuracy&score_below=0.5/);
    await page.getByLabel('Below').press('Enter');
    await request;
    await page.waitForURL('**score_below=0.5');
    await items().nth(7).waitFor({ state: 'detached' });
    await items().nth(6).waitFor();
    expect(await items().count()).toBe(7);
    await page.getByRole('button', { name: /same$/ }).click();
    await page.getByText('No calls match this filter.').waitFor();
  });

  it('accepts an outcome of one call, explains the effect, and clears it', async () => {
    await page.getByRole('button', { name: /changed$/ }).click();
    const first = items().first();
    const judge = first.getByRole('group', { name: 'Judge this call' });
    await judge.getByText(/^Later runs with the baseline accepted expect accepted outcomes/).waitFor();
    await judge.getByRole('button', { name: 'Accept', exact: true }).click();
    await judge.getByRole('button', { name: 'Accept', pressed: true }).waitFor();
    const itemsPath = routePath(API.testRuns.listItems, { id: runId() });
    const stored = async (): Promise<(string | undefined)[]> => {
      const { items } = await dashboard.recorder.get<{ items: TestRunItemSummary[] }>(
        `${itemsPath}?accepted=true`,
      );
      return items.map(({ acceptance }) => acceptance?.author.kind);
    };
    expect(await stored()).toEqual(['person']);
    await judge.getByRole('button', { name: 'Accept', pressed: true }).click();
    await judge.getByRole('button', { name: 'Accept', pressed: false }).waitFor();
    expect(await stored()).toEqual([]);
  });

  it('is marked as failed in the list', async () => {
    await page.getByRole('link', { name: '← Runs' }).click();
    await page
      .getByRole('row', { name: /One topic/ })
      .getByText('failed', { exact: true })
      .waitFor();
  });
});

describe('the changes of a run', () => {
  it('can be loaded again after a failure', async () => {
    const run = await desk.evaluate(WORSE, 'Out of reach', GATE);
    const visitor = await dashboard.visit();
    await visitor.page.context().addCookies(await page.context().cookies());
    const changes = /payloads=true/;
    await visitor.page.route(changes, (route) =>
      route.fulfill({ status: 400, json: { detail: 'Too busy.' } }),
    );
    await visitor.page.goto(run.testRunUrl);
    const notice = visitor.page.getByRole('alert').filter({ hasText: 'Could not load what changed.' });
    await notice.getByText('Too busy.').waitFor();
    await visitor.page.unroute(changes);
    await notice.getByRole('button', { name: 'Try again' }).click();
    await visitor.page.getByRole('region', { name: 'What changed' }).waitFor();
    expect(visitor.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
  });
});

describe('a run that compared durations', () => {
  it('shows the change of the 95th percentile with its p', async () => {
    const delta = { n: 9, units: 9, smallestP: 0.004 };
    const durations = {
      n: 9,
      total: 9_000,
      mean: 1_000,
      p95: 1_800,
      delta: { ...delta, mean: 20, p: 0.4, interval: { low: -30, high: 70 } },
      p95Delta: { ...delta, mean: 240, p: 0.031, allowed: 100 },
    };
    const run = await dashboard.recorder.testRun('route-ticket', [], 'Slower', { durations });
    await page.goto(run.url);
    const row = page
      .getByRole('region', { name: 'Duration and usage' })
      .getByRole('row', { name: /^Duration/ });
    await row.waitFor();
    expect((await row.getByRole('cell').allTextContents()).slice(3)).toEqual([
      '+20 ms',
      '−30 ms to +70 ms, p = 0.4',
      '+240 ms',
      'p = 0.031 against 100',
    ]);
  });
});

describe('a rescored run', () => {
  it('links to its source run, and marks reused baseline scores', async () => {
    const source = await desk.evaluate(WORSE, 'Judged once');
    const short = Object.assign(({ output }: { output: string }) => output.length < 6, { version: '1' });
    const rescore = (name: string) => desk.tracer.rescore(source.testRunId, { name, evaluators: { short } });
    await rescore('Judged twice');
    const run = await rescore('Judged again');
    expect(run.scores['short']?.reused).toBe(10);
    await page.goto(run.testRunUrl);
    const scores = page.getByRole('region', { name: 'Scores', exact: true });
    await scores.getByRole('cell', { name: '10, 10 reused' }).waitFor();
    await items().first().getByText('baseline: false (reused)').waitFor();
    await page.getByText(/^Rescored/).waitFor();
    await page.getByRole('link', { name: 'another run' }).click();
    await page.getByRole('heading', { name: 'Judged once' }).waitFor();
    await page.getByText(/^Replayed/).waitFor();
    await page.getByRole('link', { name: '← Runs' }).click();
    await page.getByRole('row', { name: /Judged again rescored/ }).waitFor();
  });
});

describe('a run that passes its gate', () => {
  it('opens with the decision', async () => {
    const run = await desk.evaluate(RECORDED, 'As before', GATE);
    await page.goto(run.testRunUrl);
    await decision().getByRole('heading', { name: 'Ship', exact: true }).waitFor();
    await decision()
      .getByText(/^Passed \d checks$/)
      .waitFor();
    const accuracy = page
      .getByRole('region', { name: 'Scores', exact: true })
      .getByRole('row', { name: /^accuracy/ });
    expect((await accuracy.getByRole('cell').allTextContents()).at(-1)).toBe('0 worse, 0 better');
  });
});

describe('a run without a decision', () => {
  it('is shown as a run without a gate', async () => {
    const run = await desk.evaluate(WORSE, 'Only looking');
    await page.goto(run.testRunUrl);
    await decision().getByRole('heading', { name: 'No gate' }).waitFor();
    await page.getByRole('region', { name: 'Scores', exact: true }).waitFor();
  });

  it('is shown without figures when its client stored none', async () => {
    const run = await dashboard.recorder.testRun('route-ticket', [], 'Without figures');
    await page.goto(run.url);
    await decision().getByText('has no decision and no figures').waitFor();
    expect(await page.getByRole('region', { name: 'Scores', exact: true }).count()).toBe(0);
  });

  it('is not decided while it is running, or when it was interrupted', async () => {
    const run = await dashboard.recorder.startTestRun('route-ticket', 'Under way');
    await page.goto(run.url);
    await decision().getByRole('heading', { name: 'Not decided yet' }).waitFor();
    await dashboard.recorder.post(routePath(API.testRuns.finish, { id: run.id }), { status: 'interrupted' });
    await decision().getByText('The run stopped early.').waitFor();
  });

  it('is listed as not yet, not decided or no gate', async () => {
    const { recorder } = dashboard;
    await recorder.startTestRun('route-ticket', 'Still going');
    const beyond = await recorder.startTestRun('route-ticket', 'Beyond its gate');
    await recorder.post(routePath(API.testRuns.report, { id: beyond.id }), {
      items: [{ item_no: 0, verdict: 'changed', result: 1 }],
    });
    const summary = { passed: true, gate: { changed: 0 }, failures: [], ranLive: { 'send-mail': 2 } };
    await recorder.post(routePath(API.testRuns.finish, { id: beyond.id }), { summary });
    await page.goto(beyond.url);
    await decision().getByRole('heading', { name: 'Not decided' }).waitFor();
    await decision().getByText('the stored results fail the gate: 1 changed call.').waitFor();
    await decision().getByText('Ran live, not mocked: send-mail 2.').waitFor();
    await page.getByRole('link', { name: '← Runs' }).click();
    for (const [name, decided] of [
      ['Still going', 'not yet'],
      ['Beyond its gate', 'not decided'],
      ['Under way', 'not decided'],
      ['Only looking', 'no gate'],
      ['Without figures', 'no gate'],
    ] as const)
      await page.getByRole('row', { name }).getByText(decided, { exact: true }).waitFor();
  });
});

describe('in a window of 420 pixels', () => {
  it('a decided run does not scroll sideways', async () => {
    const run = await desk.evaluate(WORSE, 'On a phone', GATE);
    await page.setViewportSize({ width: 420, height: 860 });
    await page.goto(run.testRunUrl);
    await items().first().waitFor();
    const overhangPx = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect(page.evaluate(overhangPx)).resolves.toBe(0);
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
