import { type ErrorRecord, newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

/** Markup that a visitor may put into any recorded text. */
const MARKUP = [
  '<script>window.harmed=1</script>',
  '<img src=x onerror=window.harmed=1>',
  '"><svg onload=window.harmed=1>',
  "javascript:window.harmed=1//'",
].join(' ');

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
});

afterAll(() => dashboard.close());

describe('recorded markup', () => {
  const traceId = newTraceId();
  const markedUp = { [MARKUP]: MARKUP };
  let testRunUrl: string;

  beforeAll(async () => {
    const error: ErrorRecord = { name: MARKUP, message: MARKUP, stack: MARKUP, code: MARKUP };
    const usage = { model: MARKUP, provider: MARKUP, [MARKUP]: MARKUP };
    const record = span(
      traceId,
      MARKUP,
      300_000,
      {
        input: [MARKUP, markedUp],
        output: markedUp,
        error,
        prompt: MARKUP,
        contexts: [markedUp],
        usage,
        meta: { input: { redacted: [MARKUP], types: { [MARKUP]: MARKUP } }, replayable: false },
      },
      { trace_function_key: MARKUP },
    );
    await dashboard.recorder.ingest(
      [record],
      [{ id: traceId, session_id: MARKUP, metadata: markedUp, contexts: markedUp }],
    );
    const source = { source_trace_id: traceId, source_span_id: record.id };
    const figures = {
      mean: 1,
      n: 1,
      worse: [],
      better: 0,
      missing: 0,
      notApplicable: 0,
      labels: { [MARKUP]: 1 },
    };
    const run = await dashboard.recorder.testRun(
      MARKUP,
      [
        { ...source, item_no: 0, error },
        { ...source, item_no: 1, result: { ...markedUp, [`${MARKUP}!`]: MARKUP } },
      ],
      MARKUP,
      {
        passed: false,
        failures: [MARKUP],
        gate: { scores: { [MARKUP]: { min: 1 } } },
        scores: { [MARKUP]: figures },
      },
    );
    testRunUrl = run.url;
    const scored = { id: newTraceId(), name: MARKUP, value: MARKUP, label: MARKUP, explanation: MARKUP };
    const author = { kind: 'person', name: MARKUP };
    const created_at = '2026-03-04T15:00:00.000000Z';
    await dashboard.recorder.post(API.scores.add.path, {
      scores: [{ ...scored, author, created_at, trace_id: traceId }],
    });
    await dashboard.recorder.post(API.datasets.create.path, { name: 'marked', description: MARKUP });
    await dashboard.recorder.post(routePath(API.datasets.addVersion, { name: 'marked' }), {
      items: [{ input: [MARKUP], expected: markedUp, metadata: markedUp }],
      note: MARKUP,
    });
    await dashboard.recorder.post(API.apiKeys.create.path, { name: MARKUP.slice(0, 90) });
    await dashboard.recorder.post(API.indexes.create.path, { name: MARKUP, type: 'API' });
  });

  it.each([
    ['the list of traces', () => '/traces'],
    ['a trace', () => `/traces/${traceId}`],
    ['sessions', () => '/sessions'],
    ['test runs', () => '/test-runs'],
    ['a test run', () => testRunUrl],
    ['datasets', () => '/datasets'],
    ['a dataset', () => '/datasets/marked'],
    ['indexes', () => '/indexes'],
    ['keys', () => '/api-keys'],
    ['a filter in the address', () => `/traces?session_id=${encodeURIComponent(MARKUP)}`],
  ])('stays text in %s', async (_, path) => {
    await page.goto(path());
    await page.getByText('<script>').filter({ visible: true }).first().waitFor();
    for (const details of await page.locator('details > summary').all()) await details.click();
    const harm = await page.evaluate(`({
      ran: 'harmed' in window,
      elements: document.querySelectorAll('#root :is(script, img, iframe, svg[onload], [onerror])').length,
      links: [...document.links].filter((link) => !/^http/.test(link.protocol)).length,
    })`);
    expect(harm).toEqual({ ran: false, elements: 0, links: 0 });
  });
});

describe('every page that was shown', () => {
  it('has a content security policy that allows nothing inline', async () => {
    const policy = (await fetch(dashboard.collector.url)).headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/(default|script)-src [^;]*('self'|'none')/);
    expect(policy).not.toMatch(/unsafe/);
  });

  it('violates no content security policy, logs no error and requests no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});

describe('recorded right-to-left text', () => {
  it('keeps keys before values, and reverses nothing outside its own quotes', async () => {
    const traceId = newTraceId();
    const output = { مفتاح: 'قيمة', 'from\u202Eleft': 'here' };
    await dashboard.recorder.ingest([span(traceId, 'rtl', 400_000, { input: [], output })]);
    await page.goto(`/traces/${traceId}`);
    const shown = page.getByRole('region', { name: 'Output' }).locator('pre span');
    await shown.first().waitFor();
    const parts = await shown.all();
    const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
    for (const [index, box] of boxes.entries()) {
      const before = boxes[index - 1];
      const isOnSameLine = before?.y === box?.y;
      if (isOnSameLine) expect(box?.x).toBeGreaterThanOrEqual((before?.x ?? 0) + (before?.width ?? 0));
    }
  });
});
