import { newTraceId } from '@dacapo/protocol';
import { type Answer, API, routePath } from '@dacapo/protocol/api';
import { source } from 'axe-core';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';
import { watchInput } from './dashboard/watch-input.js';
import type { WatchedPage } from './dashboard/watched-page.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let visitor: WatchedPage;
const traceId = newTraceId();
const secretText = 'Ann wants her money back';
let runUrl = '';

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  const root = span(traceId, 'handle-ticket', 0, { input: [secretText], output: 'refunded' });
  const inner = span(traceId, 'classify', 200, { output: secretText }, { parent_id: root.id, type: 'llm' });
  await dashboard.recorder.ingest([root, inner], [{ id: traceId, session_id: 'conversation-1' }]);
  const item = { item_no: 0, source_trace_id: traceId, source_span_id: root.id };
  const run = await dashboard.recorder.testRun(
    'handle-ticket',
    [{ ...item, verdict: 'changed', result: 'refused' }],
    'Shorter prompt',
  );
  runUrl = run.url;
});

beforeEach(async () => {
  visitor = await dashboard.visit();
});

afterEach(() => visitor.page.context().close());

afterAll(() => dashboard.close());

/** Makes a link on the shown page. */
async function share(withPayloads: boolean): Promise<string> {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Share this/ });
  if (withPayloads) await dialog.getByLabel(/^With inputs and outputs/).check();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = (await dialog.getByRole('status').locator('code').textContent()) ?? '';
  await page.keyboard.press('Escape');
  return new URL(link).pathname;
}

const requested = (watched: Page): string[] => {
  const paths: string[] = [];
  watched.on('request', (request) => paths.push(new URL(request.url()).pathname));
  return paths;
};

const findings = async (of: Page): Promise<object[]> => {
  await of.evaluate(source);
  return (await of.evaluate<{ violations: object[] }>('axe.run(document)')).violations;
};

describe('a share link', () => {
  it('shows a trace to a visitor, who calls no route but those of the link', async () => {
    await page.goto(`/traces/${traceId}`);
    const path = await share(true);
    const paths = requested(visitor.page);
    await visitor.page.goto(path);
    await visitor.page.getByRole('heading', { name: 'handle-ticket', level: 1 }).waitFor();
    await visitor.page.getByText(secretText).first().waitFor();
    await visitor.page.getByRole('treeitem', { name: /classify/ }).click();
    await visitor.page.getByRole('region', { name: 'Span classify' }).getByText(secretText).waitFor();
    const own = path.replace('/shared/', '/api/v1/shared/');
    expect(paths.filter((one) => one.startsWith('/api/') && !one.startsWith(own))).toEqual([]);
    for (const name of ['Share', 'Replay command']) {
      expect(await visitor.page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    expect(await visitor.page.getByRole('link').count()).toBe(0);
    expect(await visitor.page.locator('body').textContent()).not.toContain('conversation-1');
    expect(visitor.faults).toEqual([]);
  });

  it('shows no inputs and outputs unless its maker says so', async () => {
    await page.goto(`/traces/${traceId}`);
    await visitor.page.goto(await share(false));
    await visitor.page.getByText('This link shows no inputs and outputs.').waitFor();
    expect(await visitor.page.locator('body').textContent()).not.toContain(secretText);
    expect(visitor.faults).toEqual([]);
  });

  it('shows a run, its calls and how they differ', async () => {
    await page.goto(runUrl);
    const path = await share(true);
    const paths = requested(visitor.page);
    await visitor.page.goto(path);
    await visitor.page.getByRole('heading', { name: 'Shorter prompt', level: 1 }).waitFor();
    await visitor.page.getByRole('button', { name: 'Call 1' }).click();
    await visitor.page.getByText('refused').first().waitFor();
    const own = path.replace('/shared/', '/api/v1/shared/');
    expect(paths.filter((one) => one.startsWith('/api/') && !one.startsWith(own))).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });

  it('is made, copied and revoked by keyboard alone, and shows nothing from then on', async () => {
    const listed = await dashboard.recorder.get<Answer<typeof API.shareLinks.list>>(API.shareLinks.list.path);
    for (const { id } of listed.items)
      await fetch(dashboard.collector.url + routePath(API.shareLinks.revoke, { id }), {
        method: 'DELETE',
        headers: { 'api-key': dashboard.collector.apiKey ?? '' },
      });
    const input = await watchInput(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/traces/${traceId}`);
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: 'Share this trace' });
    await dialog.waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: /^Copy/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: /^Copied/ }).waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    await visitor.page.goto(new URL(link).pathname);
    await visitor.page.getByText(secretText).first().waitFor();
    const pressTabTo = async (name: RegExp): Promise<void> => {
      const focused = page.getByRole('link', { name }).or(page.getByRole('button', { name }));
      const isFocused = focused.and(page.locator(':focus'));
      for (let presses = 0; (await isFocused.count()) === 0 && presses < 40; presses += 1)
        await page.keyboard.press('Tab');
    };
    await pressTabTo(/^Share links$/);
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Share links' }).waitFor();
    await pressTabTo(/^Actions for trace/);
    await page.keyboard.press('Enter');
    await pressTabTo(/^Revoke/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /^Revoke/ }).waitFor();
    await pressTabTo(/^Revoke link$/);
    await page.keyboard.press('Enter');
    await page.getByText('No share links.').waitFor();
    expect((await input()).clicks).toBe(0);
    await visitor.page.reload();
    await visitor.page.getByText('The link is incomplete, has expired or was revoked.').waitFor();
    expect(await visitor.page.locator('body').textContent()).not.toContain('handle-ticket');
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'breaks no rule of WCAG 2.2 AA with the %s theme, %i pixels wide',
    async (colorScheme, width) => {
      const shots = process.env['DACAPO_TEST_SCREENSHOTS'];
      for (const address of [`/traces/${traceId}`, runUrl]) {
        await page.goto(address);
        const path = await share(true);
        await visitor.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await visitor.page.setViewportSize({ width, height: 844 });
        await visitor.page.goto(path);
        await visitor.page.getByRole('heading', { level: 1 }).waitFor();
        await visitor.page.waitForLoadState('networkidle');
        expect(await findings(visitor.page)).toEqual([]);
        const what = address === runUrl ? 'run' : 'trace';
        if (shots) await visitor.page.screenshot({ path: join(shots, `shared-${what}-${width}.png`) });
      }
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      await page.goto('/share-links');
      await page.getByRole('group', { name: 'Share links' }).waitFor();
      expect(await findings(page)).toEqual([]);
      if (shots) await page.screenshot({ path: join(shots, `share-links-${width}.png`) });
      await page.goto(`/traces/${traceId}`);
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByRole('button', { name: 'Create link' }).waitFor();
      expect(await findings(page)).toEqual([]);
      if (shots) await page.screenshot({ path: join(shots, `share-dialog-${width}.png`) });
    },
  );

  it('shows nothing once its trace is erased', async () => {
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(`/traces/${traceId}`);
    const path = await share(true);
    await visitor.page.goto(path);
    await visitor.page.getByText(secretText).first().waitFor();
    await dashboard.recorder.post(API.deletions.create.path, { trace_ids: [traceId] });
    const own = dashboard.collector.url + path.replace('/shared/', '/api/v1/shared/');
    for (let status = 200; status !== 404;) ({ status } = await fetch(own));
    await visitor.page.reload();
    await visitor.page.getByText('The link is incomplete, has expired or was revoked.').waitFor();
  });
});
