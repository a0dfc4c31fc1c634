import { newSpanId, newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { PLAIN_HOST } from './dashboard/launch-browser.js';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

const failed = span(newTraceId(), 'classify-ticket', 60_000, {
  input: ['Refund please'],
  error: { name: 'TypeError', message: 'subject is undefined' },
});
const chat = span(
  newTraceId(),
  'chat',
  30_000,
  {
    input: [
      {
        model: 'small',
        messages: [
          { role: 'system', content: 'Be kind.\nBe short.' },
          { role: 'user', content: 'Where is my refund?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'find_refund', arguments: '{"open":true}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'sent' },
        ],
      },
    ],
    prompt: 'system:\nBe kind.\nBe short.\n\nuser:\nWhere is my refund?',
    output: { choices: [{ message: { role: 'assistant', content: 'It is\non its way.' } }] },
    usage: { model: 'small', input_tokens: 1_200, output_tokens: 56 },
  },
  { type: 'llm' },
);
const long = { id: newTraceId(), root: newSpanId(), spans: 3_000 };

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await dashboard.recorder.ingest([failed, chat]);
  const root = span(long.id, 'long', 0, {}, { id: long.root });
  const leaves = Array.from({ length: long.spans }, (_, i) => {
    const breaks = i % 1_000 === 999;
    const data = breaks ? { error: { name: 'Error', message: `leaf ${i} broke` } } : {};
    return span(long.id, `leaf ${i}`, i, data, { parent_id: root.id });
  });
  await dashboard.recorder.ingest([root, ...leaves]);
});

afterAll(() => dashboard.close());
beforeEach(() => page.setViewportSize({ width: 1280, height: 860 }));

/** Whether a row of the tree is fully visible. */
async function isInView(name: string): Promise<boolean> {
  const box = await page.getByRole('treeitem', { name: new RegExp(`^${name}\\b`) }).boundingBox();
  const heightPx = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= heightPx;
}

describe('a list of traces', () => {
  it('shows the error of a failed row, and the time zone', async () => {
    await page.goto('/traces');
    await page
      .getByRole('row', { name: /classify-ticket/ })
      .getByText('TypeError: subject is undefined')
      .waitFor();
    const zone = await page.evaluate<string>(
      `new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(Date.UTC(2026, 2, 4))
        .find(({ type }) => type === 'timeZoneName').value`,
    );
    await page.getByRole('columnheader', { name: `Started ${zone}` }).waitFor();
  });

  it('selects text in a row, and opens a row on click', async () => {
    const text = page.getByText('TypeError: subject is undefined');
    const box = await text.boundingBox();
    const y = (box?.y ?? 0) + 10;
    await page.mouse.move((box?.x ?? 0) + 2, y);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 120, y, { steps: 4 });
    await page.mouse.up();
    await expect(page.evaluate('getSelection().toString()')).resolves.toMatch(/^TypeError/);
    expect(new URL(page.url()).pathname).toBe('/traces');
    await page.evaluate('getSelection().removeAllRanges()');
    await text.click();
    await page.waitForURL(`**/traces/${failed.trace_id}`);
  });

  it('marks the old rows while a new filter loads', async () => {
    await page.goto('/traces');
    const table = page.getByRole('table').locator('..');
    await page.getByRole('link', { name: 'classify-ticket' }).waitFor();
    let letPass = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letPass = resolve;
    });
    await page.route('**/api/v1/traces?*status=error*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel('Query').fill('status:error');
    await page.getByLabel('Query').press('Enter');
    await page.waitForURL('**/*status=error*');
    await page.locator('[aria-busy="true"]').waitFor();
    letPass();
    await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
    // The calls that failed: of the second trace the first failed span.
    const names = await table.locator('tbody tr td:nth-child(3) a').allTextContents();
    expect(names.toSorted()).toEqual(['classify-ticket', 'leaf 999']);
    await page.unroute('**/api/v1/traces?*status=error*');
  });

  it('keeps its filters on the way back', async () => {
    await page.getByRole('link', { name: 'classify-ticket' }).click();
    await page.getByRole('link', { name: '← Traces' }).click();
    await page.waitForURL('**/traces?status=error');
  });
});

describe('a model call', () => {
  beforeAll(async () => {
    await page.goto(`/traces/${chat.trace_id}`);
    await page.getByRole('region', { name: 'Prompt' }).waitFor();
  });

  it('shows the prompt first, as messages with roles and tool calls', async () => {
    const sections = await page.getByRole('region', { name: 'Span chat' }).getByRole('region').all();
    const names = await Promise.all(sections.map((section) => section.getAttribute('aria-label')));
    expect(names).toEqual(['Prompt', 'Output', 'Input', 'Usage']);
    const instructions = page.getByRole('list', { name: 'Instructions' });
    expect(await instructions.textContent()).toBe('system Be kind.');
    await instructions.getByText('system').click();
    await instructions.getByText('Be short.').waitFor();
    const messages = await page
      .getByRole('list', { name: 'Messages of the prompt' })
      .getByRole('listitem')
      .allTextContents();
    expect(messages).toEqual([
      'userWhere is my refund?',
      'assistantTool call find_refund{\n  "open": true\n}',
      'toolResult of c1sent',
    ]);
  });

  it('shows the answer as a message, and the tokens at the top', async () => {
    const answer = page.getByRole('list', { name: 'Messages of the output' });
    expect(await answer.textContent()).toBe('assistantIt is\non its way.');
    const panel = page.getByRole('region', { name: 'Span chat' });
    await panel.getByText('Tokens 1,200 in, 56 out').waitFor();
  });

  it('keeps the input as it was recorded', async () => {
    const input = page.getByRole('region', { name: 'Input' });
    await input.getByText('As recorded').click();
    await input.getByText('"find_refund"').waitFor();
  });

  it('scrolls only with the page', async () => {
    const boxes = await page.evaluate<string[]>(`[...document.querySelectorAll('main *')]
      .filter((one) => one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY))
      .map((one) => one.getAttribute('role') ?? one.tagName)`);
    expect(boxes.filter((box) => box !== 'tree')).toEqual([]);
  });
});

describe('a span that had not ended', () => {
  it('shows its end after a refresh', async () => {
    const ended = span(newTraceId(), 'slow', 0, { input: ['x'], output: 'at last' });
    const begun = { ...ended, status: 'unfinished' as const, span_data: { input: ['x'] } };
    delete begun.ended_at;
    delete begun.duration_ms;
    await dashboard.recorder.ingest([begun]);
    await page.goto(`/traces/${ended.trace_id}`);
    await page.getByText('The call had not ended when the span was sent.').waitFor();
    await dashboard.recorder.ingest([ended]);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('region', { name: 'Output' }).getByText('at last').waitFor();
  });
});

describe('a trace of thousands of spans', () => {
  it.each([860, 500])('brings the next error into a window %d pixels high', async (height) => {
    await page.setViewportSize({ width: 1280, height });
    await page.goto(`/traces/${long.id}?span=${long.root}`);
    const next = page.getByRole('button', { name: 'Next error' });
    for (const leaf of ['leaf 999', 'leaf 1999', 'leaf 2999', 'leaf 999']) {
      await next.click();
      await page.getByRole('heading', { name: leaf, level: 2 }).waitFor();
      await expect(isInView(leaf)).resolves.toBe(true);
    }
  });

  it('is never empty, however far the list jumps', async () => {
    const shownAtOnce = await page.evaluate<number>(`(() => {
      const tree = document.querySelector('[role=tree]');
      tree.scrollTop = 42000;
      const box = tree.getBoundingClientRect();
      return [...tree.querySelectorAll('[role=treeitem]')].filter((row) => {
        const { top } = row.getBoundingClientRect();
        return top >= box.top && top < box.bottom;
      }).length;
    })()`);
    expect(shownAtOnce).toBeGreaterThan(5);
    await page.getByRole('treeitem', { name: /^leaf 1500\b/ }).waitFor();
  });
});

describe('a trace that another trace started', () => {
  it('names the span that started it', async () => {
    const started_by = { trace_id: chat.trace_id, span_id: chat.id };
    const late = span(newTraceId(), 'send-mail', 90_000, { input: [], output: true, meta: { started_by } });
    await dashboard.recorder.ingest([late]);
    await page.goto(`/traces/${late.trace_id}`);
    const facts = page.getByRole('list', { name: 'About this trace' });
    await facts.getByText('Started by').getByRole('link').click();
    await page.waitForURL(`**/traces/${chat.trace_id}?span=${chat.id}`);
  });
});

describe('a trace that another service requested', () => {
  it('names the span of the caller', async () => {
    const links = [{ trace_id: chat.trace_id, span_id: chat.id }];
    const served = span(newTraceId(), 'serve', 95_000, { input: [], output: true, meta: { links } });
    await dashboard.recorder.ingest([served]);
    await page.goto(`/traces/${served.trace_id}`);
    const facts = page.getByRole('list', { name: 'About this trace' });
    await facts.getByText('Linked from').getByRole('link').click();
    await page.waitForURL(`**/traces/${chat.trace_id}?span=${chat.id}`);
  });
});

describe('scores', () => {
  it('of a trace or a span show their author and explanation', async () => {
    const authored = { author: { kind: 'person', name: 'ann' }, created_at: '2026-03-04T15:00:00.000000Z' };
    const of = (name: string, value: unknown, more: object) => ({
      ...authored,
      id: newTraceId(),
      name,
      value,
      trace_id: chat.trace_id,
      ...more,
    });
    await dashboard.recorder.post(API.scores.add.path, {
      scores: [of('helpful', true, {}), of('tone', 0.25, { span_id: chat.id, explanation: 'Too short.' })],
    });
    await page.goto(`/traces/${chat.trace_id}`);
    const whole = page.getByRole('region', { name: 'Scores of the trace' }).getByRole('listitem');
    await whole.waitFor();
    expect(await whole.allTextContents()).toEqual([expect.stringMatching(/^helpful true person ann, /)]);
    const own = page.getByRole('region', { name: 'Span chat' }).getByRole('region', { name: 'Scores' });
    await own.waitFor();
    expect(await own.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^tone 0\.25 person ann, .*Too short\.$/),
    ]);
  });
});

describe('on a phone', () => {
  beforeEach(() => page.setViewportSize({ width: 400, height: 760 }));

  it('shows the error of a row without scrolling sideways', async () => {
    await page.goto('/traces');
    const box = await page.getByText('TypeError: subject is undefined').boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(400);
    await page
      .getByRole('row', { name: /classify-ticket/ })
      .getByRole('cell', { name: /^error TypeError: subject is undefined/ })
      .waitFor();
  });

  it('opens a tapped span in view', async () => {
    await page.goto(`/traces/${long.id}?span=${long.root}`);
    await page.getByRole('treeitem', { name: /^leaf 3\b/ }).click();
    const heading = page.getByRole('heading', { name: 'leaf 3', level: 2 });
    await heading.waitFor();
    expect((await heading.boundingBox())?.y).toBeLessThan(200);
  });

  it.each([
    ['a list', () => '/'],
    ['a trace', () => `/traces/${chat.trace_id}`],
    ['a long trace', () => `/traces/${long.id}`],
    ['sessions', () => '/sessions'],
    ['test runs', () => '/test-runs'],
  ])('reaches everything that scrolls in %s by keyboard', async (_, path) => {
    await page.goto(path());
    await page.getByRole('heading', { level: 1 }).waitFor();
    const unreachable = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
      .filter((one) => {
        const { overflowX, overflowY } = getComputedStyle(one);
        return (one.scrollWidth > one.clientWidth && /auto|scroll/.test(overflowX)) ||
          (one.scrollHeight > one.clientHeight && /auto|scroll/.test(overflowY));
      })
      .filter((one) => one.tabIndex < 0 && !one.querySelector('a[href], button, input, select, [tabindex="0"]'))
      .map((one) => one.outerHTML.slice(0, 80))`);
    expect(unreachable).toEqual([]);
  });
});

describe('over plain HTTP', () => {
  it('copies to the clipboard', async () => {
    const visitor = await dashboard.visit(PLAIN_HOST);
    await visitor.page.goto('/traces');
    await visitor.page.getByLabel('API key').fill(dashboard.collector.apiKey ?? '');
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('button', { name: 'Add filter' }).waitFor();
    await visitor.page.goto(`/traces/${chat.trace_id}`);
    await visitor.page.getByRole('button', { name: 'Copy: trace id' }).click();
    await visitor.page.getByRole('button', { name: 'Copied: trace id' }).waitFor();
    await visitor.page.goto('/traces');
    await visitor.page.getByRole('button', { name: 'Add filter' }).click();
    const pasted = visitor.page.getByRole('dialog').getByLabel('is', { exact: true });
    await pasted.focus();
    await visitor.page.keyboard.press('Control+V');
    expect(await pasted.inputValue()).toBe(chat.trace_id);
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
