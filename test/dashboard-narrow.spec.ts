import { newTraceId } from '@dacapo/protocol';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
const traceId = newTraceId();

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  const spans = Array.from({ length: 12 }, (_, level) =>
    span(traceId, `step-${level}`, level, { input: [level] }),
  );
  for (const [level, below] of spans.entries()) {
    const above = spans[level - 1];
    if (above !== undefined) below.parent_id = above.id;
  }
  await dashboard.recorder.ingest(spans, [{ id: traceId, session_id: 'conversation-'.repeat(8) }]);
  await dashboard.recorder.testRun('step-0', [], 'the next prompt');
  await page.setViewportSize({ width: 400, height: 860 });
});

afterAll(() => dashboard.close());

/** By how many pixels the page is wider than its window. */
const overhangPx = (): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe('in a window of 400 pixels', () => {
  it.each([
    ['Overview', '/'],
    ['Traces', '/traces'],
    ['Sessions', '/sessions'],
    ['Runs', '/test-runs'],
    ['Functions', '/functions'],
    ['step-0', '/functions/step-0'],
    ['Datasets', '/datasets'],
    ['Indexes', '/indexes'],
    ['API keys', '/api-keys'],
    ['Data', '/data'],
  ])('%s does not scroll sideways', async (title, path) => {
    await page.goto(path);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await expect(overhangPx()).resolves.toBe(0);
  });

  it('a trace does not either, and the names of deep spans have room', async () => {
    await page.goto(`/traces/${traceId}`);
    const deepest = page.getByRole('treeitem', { name: /step-11/ }).getByText('step-11');
    await deepest.waitFor();
    expect((await deepest.boundingBox())?.width).toBeGreaterThan(40);
    await expect(overhangPx()).resolves.toBe(0);
  });
});
