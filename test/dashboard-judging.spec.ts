import { type DecisionRecord, type TestRunRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { Tracer } from '@dacapo/tracer';
import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

const CALLS = 60;
/** 22 calls differ by the version alone, 9 by the topic, 2 fail. */
const [VERSIONS, TOPICS, ERRORS] = [22, 9, 2];

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let tracer: Tracer;

const recorded = (no: number): object => ({ no, topic: 'other', model_version: '2026-10-01' });

function candidate(no: number): object {
  if (no < VERSIONS) return { ...recorded(no), model_version: '2026-11-01' };
  if (no < VERSIONS + TOPICS) return { ...recorded(no), topic: 'billing' };
  if (no < VERSIONS + TOPICS + ERRORS) throw new TypeError('topic "refund" is unknown');
  return recorded(no);
}

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  const { url, apiKey = '' } = dashboard.collector;
  tracer = new Tracer({ apiKey, serviceUrl: url });
  const route = tracer.withSpan('route', recorded);
  for (let no = 0; no < CALLS; no += 1) route(no);
  await tracer.flush();
});

afterAll(async () => {
  await tracer.shutdown();
  await dashboard.close();
});

const replay = (name: string, fn = candidate) =>
  tracer.replay('route', tracer.withSpan('route', fn), {
    name,
    gate: { changed: ERRORS, errors: ERRORS },
  });

const decision = () => page.getByRole('region', { name: 'Decision' });
const groups = () => page.getByRole('list', { name: 'Groups of equal changes' });
const groupRow = (name: RegExp) => groups().getByRole('button', { name, expanded: false });
const heading = (name: string) => decision().getByRole('heading', { name, exact: true });
const changes = () => page.getByRole('region', { name: 'What changed' });
const showsStatus = (text: RegExp) => changes().getByRole('status').getByText(text).waitFor();
const isFocused = (name: RegExp) => groupRow(name).and(page.locator(':focus')).waitFor();
const readRun = (id: string) => dashboard.recorder.get<TestRunRecord>(routePath(API.testRuns.get, { id }));
const readDecisions = async (id: string) =>
  (
    await dashboard.recorder.get<{ items: DecisionRecord[] }>(routePath(API.decisions.list, { id }))
  ).items.toReversed();

/** Opens a failed run. Paths that the test before ignored are compared again. */
async function openRun(name: string): Promise<string> {
  const { items } = await dashboard.recorder.get<{ items: TestRunRecord[] }>(API.testRuns.list.path);
  for (const { id } of items) {
    const latest = (await readDecisions(id)).at(-1);
    if (latest !== undefined && latest.ignore.length > 0)
      await dashboard.recorder.post(routePath(API.decisions.decide, { id }), {
        after: latest.no,
        compare: latest.ignore,
      });
  }
  const run = await replay(name);
  await page.goto(run.testRunUrl);
  await heading('Do not ship').waitFor();
  await groupRow(/^model_version .* 22 calls$/).waitFor();
  return run.testRunId;
}

describe('a run with 33 changes of which 22 are one field', () => {
  it('is judged with two clicks, and shows who decided what', async () => {
    const id = await openRun('By mouse');
    await groups().getByRole('button', { name: 'Ignore (model_version)' }).click();
    await showsStatus(/^Ignored \$\.model_version in this run and later ones\./);
    await heading('Do not ship').waitFor();
    await groups().getByRole('button', { name: 'Accept (topic)' }).click();
    await showsStatus(/^Accepted 9 calls\./);
    await heading('Ship').waitFor();
    await decision()
      .getByText(/^Decided by default/)
      .waitFor();
    expect(await readRun(id)).toMatchObject({
      passed: true,
      summary: { passed: false },
      decision: { no: 2, author: { kind: 'person', name: 'default' } },
    });
    await decision().getByText('History (3)').click();
    const history = decision().getByRole('list', { name: 'Decisions' }).getByRole('listitem');
    await history.nth(2).waitFor();
    expect(await history.allTextContents()).toEqual([
      expect.stringMatching(/^Passed 4 checksaccepted 9 callsdefault, /),
      expect.stringMatching(/^Failed 1 of 4 checksignored \$\.model_versiondefault, /),
      expect.stringMatching(/^Failed 1 of 4 checksas replayedclient, /),
    ]);
    await page.reload();
    await heading('Ship').waitFor();
    await groups().getByText('ignored', { exact: true }).waitFor();
    await page.getByText('31 of 33 judged').waitFor();
  });

  it('is judged with two keys, and the focus moves on', async () => {
    const id = await openRun('By keys');
    await page.keyboard.press('i');
    await showsStatus(/^Ignored /);
    await isFocused(/^topic .* 9 calls$/);
    await page.keyboard.press('Shift+1');
    await showsStatus(/^Accepted 9 calls\./);
    await heading('Ship').waitFor();
    await isFocused(/^TypeError: /);
    expect((await readDecisions(id)).map(({ change }) => [change.accepted, change.ignored])).toEqual([
      [0, ['$.model_version']],
      [9, []],
    ]);
  });

  it('has keys for single calls, and takes the last decision back', async () => {
    const id = await openRun('Call by call');
    await groupRow(/^topic/).focus();
    await page.keyboard.press('1');
    await showsStatus(/^Press ⇧1 for all calls of the group, or open it\./);
    await page.keyboard.press('Enter');
    const calls = groups().getByRole('list', { name: 'Calls with this change' }).getByRole('listitem');
    await calls.first().getByText('Baseline', { exact: true }).waitFor();
    for (const [key, text] of [
      ['1', /^Accepted 1 call\./],
      ['2', /^Marked 1 call as better\./],
      ['3', /^Marked 1 call as worse\./],
    ] as const) {
      await page.keyboard.press('j');
      await page.keyboard.press(key);
      await showsStatus(text);
    }
    await groups().getByText('3 of 9 judged').waitFor();
    await page.keyboard.press('u');
    await showsStatus(/^Undone\./);
    await groups().getByText('2 of 9 judged').waitFor();
    const judge = calls.first().getByRole('group', { name: 'Judge this call' });
    await judge.getByRole('button', { name: 'Accept', pressed: true }).click();
    await showsStatus(/^Cleared 1 call\./);
    expect(
      (await readDecisions(id)).map(({ change: { accepted, better, worse, cleared } }) => [
        accepted,
        better,
        worse,
        cleared,
      ]),
    ).toEqual([
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
      [0, 0, 0, 1],
    ]);
  });

  it('compares an ignored place again, also in later runs', async () => {
    await openRun('Ignored');
    await page.keyboard.press('i');
    await showsStatus(/^Ignored /);
    const later = await replay('Later');
    expect(later.totals).toMatchObject({ changed: TOPICS, error: ERRORS });
    expect(later.warnings).toContain(
      'Not compared, because decisions on earlier runs ignore it: $.model_version.',
    );
    await decision().getByRole('button', { name: 'Compare again ($.model_version)' }).click();
    await showsStatus(/^\$\.model_version is compared again/);
    expect((await replay('Much later')).totals.changed).toBe(VERSIONS + TOPICS);
  });

  it('shows that somebody else decided meanwhile, and decides nothing', async () => {
    const id = await openRun('Two people');
    await dashboard.recorder.post(routePath(API.decisions.decide, { id }), {
      after: 0,
      judgements: [{ item_no: 0, judgement: 'worse' }],
    });
    await page.keyboard.press('i');
    await page
      .getByRole('alert')
      .getByText(/The latest decision on test run \S+ is 1, not 0/)
      .waitFor();
    expect(await readDecisions(id)).toHaveLength(1);
    await decision()
      .getByText(/^Decided by default/)
      .waitFor();
    await page.keyboard.press('i');
    await showsStatus(/^Ignored /);
    expect(await readDecisions(id)).toHaveLength(2);
  });

  it('is not decided by a browser that signed in with a key for replays', async () => {
    const id = await openRun('By a key');
    const { api_key } = (await dashboard.recorder.post(API.apiKeys.create.path, {
      name: 'ci',
      scopes: ['replay'],
    })) as { api_key: string };
    const visitor = await dashboard.visit();
    await visitor.page.goto(`/test-runs/${id}`);
    await visitor.page.getByLabel('API key').fill(api_key);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('heading', { name: 'Do not ship' }).waitFor();
    await visitor.page.getByRole('button', { name: /^topic/ }).click();
    await visitor.page.getByRole('button', { name: 'Accept output' }).first().waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Accept', exact: true }).count()).toBe(0);
    await visitor.page.keyboard.press('i');
    await visitor.page.getByRole('button', { name: 'Accept output' }).first().click();
    await visitor.page
      .getByText(/^Accepted by default/)
      .first()
      .waitFor();
    expect(await readDecisions(id)).toEqual([]);
    await visitor.page.context().close();
  });

  it('lists every key of the page', async () => {
    await openRun('Keys');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    for (const key of ['1', '2', '3', '0', '⇧1', 'i', 'u', 'j', 'k'])
      await dialog.getByText(key, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
  });

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no finding of axe while it is judged, in %s at %d px', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 844 });
    await openRun(`In ${colorScheme} at ${width}`);
    await groups().getByRole('button', { name: 'Ignore (model_version)' }).click();
    await showsStatus(/^Ignored /);
    await groupRow(/^topic/).click();
    await groups().getByRole('button', { name: 'Accept', exact: true }).first().click();
    await showsStatus(/^Accepted 1 call/);
    await decision().getByText('History (3)').click();
    await page.evaluate(source);
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: object[] }[] }>(
      'axe.run(document)',
    );
    expect(violations).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe('several runs', () => {
  it('are selected by mouse or key, and compared call by call with disagreements first', async () => {
    await openRun('Version 1');
    await replay('Version 2', recorded);
    await replay('Version 3', (no) => ({ ...candidateOrSame(no), model_version: '2026-10-01' }));
    await page.goto('/test-runs');
    await page.getByRole('checkbox', { name: 'Select Version 3' }).check();
    await page.getByRole('link', { name: 'Version 2', exact: true }).focus();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('link', { name: 'Compare 3 runs' }).click();
    await page.getByRole('heading', { name: 'Compare 3 runs', level: 1 }).waitFor();
    await page.waitForURL('**/runs/compare?ids=**');
    const table = page.getByRole('group', { name: 'Calls by runs' });
    const headers = table.getByRole('columnheader');
    await headers.nth(3).waitFor();
    expect((await headers.allTextContents()).map((text) => text.slice(0, 9))).toEqual([
      'Call',
      'Version 3',
      'Version 2',
      'Version 1',
    ]);
    const filter = page.getByRole('group', { name: 'Filter by agreement' });
    await filter.getByRole('button', { name: /^33 disagree$/ }).waitFor();
    const first = table.getByRole('row').nth(1);
    await first.waitFor();
    expect(new Set(await first.getByRole('cell').allTextContents()).size).toBeGreaterThan(2);
    await first.getByRole('button').click();
    await page.getByRole('region', { name: 'Version 1' }).waitFor();
    await filter
      .getByRole('button', { name: /agree$/ })
      .last()
      .click();
    await page.waitForURL('**agreement=same**');
    await table.getByText('changed', { exact: true }).first().waitFor({ state: 'detached' });
    expect(await table.getByText('changed', { exact: true }).count()).toBe(0);
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('have no finding of axe in %s at %d px', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 844 });
    const { items } = await dashboard.recorder.get<{ items: TestRunRecord[] }>(API.testRuns.list.path);
    const ids = items.slice(0, 3).map(({ id }) => id);
    for (const path of [`/runs/compare?ids=${ids.join(',')}`, '/runs/compare', '/test-runs']) {
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      await page.evaluate(source);
      const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run(document)');
      expect([path, violations]).toEqual([path, []]);
    }
  });
});

function candidateOrSame(no: number): object {
  return no < VERSIONS + TOPICS ? candidate(no) : recorded(no);
}
