import { newTraceId, type SpanData } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
const slow = newTraceId();
const chat = newTraceId();

/** One red pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const ask = (trace: string, startMs: number, duration_ms: number, more: object = {}) =>
  span(trace, 'ask-model', startMs, { output: 'x' }, { type: 'llm', duration_ms, ...more });

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await page.setViewportSize({ width: 1440, height: 900 });
  const root = span(slow, 'answer', 0, { input: ['why?'] }, { type: 'agent', duration_ms: 6_000 });
  const search = span(slow, 'search', 100, {}, { parent_id: root.id, duration_ms: 400, type: 'function' });
  const beside = span(slow, 'log', 120, {}, { parent_id: root.id, duration_ms: 50, type: 'custom' });
  const usual = Array.from({ length: 30 }, (_, index) => ask(newTraceId(), index * 1_000, 100));
  await dashboard.recorder.ingest([
    ...usual,
    root,
    search,
    beside,
    ask(slow, 600, 5_000, { parent_id: root.id }),
  ]);
  const turns = Array.from({ length: 12 }, (_, turn) => ({
    ...(turn % 2 === 0
      ? { role: 'user', content: `question ${turn}` }
      : { role: 'assistant', content: `said ${turn}` }),
  }));
  const asked: SpanData = {
    input: [
      {
        model: 'small',
        temperature: 0.2,
        tools: [{ type: 'function', function: { name: 'find_refund', parameters: {} } }],
        messages: [
          { role: 'system', content: `Be kind.\n${'And follow each of these rules.\n'.repeat(60)}` },
          ...turns,
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is in this picture?' },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
              { type: 'image_url', image_url: { url: 'https://example.com/elsewhere.png' } },
            ],
          },
        ],
      },
    ],
    output: {
      choices: [
        {
          message: {
            role: 'assistant',
            content:
              '# A lamp\n\nIt has **two** parts:\n\n- a base\n- a [shade](https://example.com)\n\n<img src=x onerror="document.title=1"> [run](javascript:alert(1)) ![far](https://example.com/far.png)',
          },
        },
      ],
    },
  };
  await dashboard.recorder.ingest([span(chat, 'chat', 0, asked, { type: 'llm' })]);
  // What was called is counted behind ingest.
  const url = `${dashboard.collector.url}${routePath(API.traces.get, { id: slow })}`;
  const headers = { 'api-key': dashboard.collector.apiKey ?? '' };
  for (;;) {
    const trace = (await (await fetch(url, { headers })).json()) as {
      usual_durations: Record<string, { calls: number }>;
    };
    if (trace.usual_durations['ask-model']?.calls === 31) break;
  }
});

afterAll(() => dashboard.close());

const findings = async (): Promise<string[]> => {
  await page.evaluate(source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { target: string[] }[] }[] }>(
    'axe.run(document)',
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
};

const panel = (name: string) => page.getByRole('region', { name: `Span ${name}` });
const item = (name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name}`) });

describe('a slow trace', () => {
  it('opens on the call that took longer than usual, and says by how much', async () => {
    await page.goto(`/traces/${slow}`);
    await item('ask-model').and(page.locator('[aria-selected=true]')).waitFor();
    await panel('ask-model').getByText('50×').waitFor();
    await panel('ask-model').getByText('usually 100 ms').waitFor();
    await panel('ask-model').getByText('5.00 s on the critical path').waitFor();
    expect(await findings()).toEqual([]);
  });

  it('shows self time and what it waited for', async () => {
    await item('answer').click();
    await panel('answer').getByText('600 ms itself').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('treeitem', { name: /^search.*critical path/ }).waitFor();
    await item('log').waitFor();
    expect(await page.getByRole('treeitem', { name: /critical/ }).count()).toBe(3);
    expect(await findings()).toEqual([]);
  });

  it('is searched and filtered by type', async () => {
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('/');
    await page.keyboard.type('SEAR');
    await item('log').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await panel('search').waitFor();
    await page.getByLabel('Search spans').fill('');
    await page.getByLabel('Type', { exact: true }).selectOption('llm');
    await item('search').waitFor({ state: 'detached' });
    await item('ask-model').waitFor();
    await page.getByLabel('Search spans').fill('nothing');
    await page.getByText('No span matches.').waitFor();
    expect(await findings()).toEqual([]);
    await page.getByLabel('Search spans').fill('');
    await page.getByLabel('Type', { exact: true }).selectOption('All types');
  });

  it('is zoomed by mouse and by keyboard', async () => {
    const ticks = page.locator('[aria-hidden=true]', { hasText: 'Duration' }).last();
    await item('search').click();
    await page.keyboard.press('z');
    await ticks.getByText('540 ms').waitFor();
    await page.keyboard.press('0');
    await ticks.getByText('6.00 s').waitFor();
    const box = await page.getByTitle('Drag to zoom').boundingBox();
    const y = (box?.y ?? 0) + 5;
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, y);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 2, y, { steps: 3 });
    await page.mouse.up();
    await ticks.getByText('3.00 s').waitFor();
    await page.getByTitle('Drag to zoom').click();
    await ticks.getByText('3.00 s').waitFor();
    await ticks.getByText('0', { exact: true }).waitFor();
  });

  it('has flames, which arrow keys and clicks walk through', async () => {
    await item('answer').click();
    await page.keyboard.press('f');
    const flames = page.getByRole('img', { name: /^Flames: answer, level 1 of 2/ });
    await flames.press('ArrowDown');
    await panel('search').waitFor();
    const box = await page
      .getByRole('img', { name: /^Flames/ })
      .locator('canvas')
      .boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 30);
    await panel('ask-model').waitFor();
    expect(await findings()).toEqual([]);
    await page.keyboard.press('f');
    await page.getByRole('tree').waitFor();
  });

  it('lists its keys', async () => {
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    for (const action of ['critical path', 'tree or flames', 'zoom to the span', 'replay command'])
      await keys.getByText(action).waitFor();
    expect(await findings()).toEqual([]);
    await page.keyboard.press('Escape');
  });
});

describe('a chat of 14 turns', () => {
  it('shows the last message and the answer in view, and folds the rest', async () => {
    await page.goto(`/traces/${chat}`);
    const answer = page.getByRole('list', { name: 'Messages of the output' });
    await answer.getByText('A lamp').waitFor();
    const box = await answer.boundingBox();
    expect(box?.y ?? 9_999).toBeLessThan(860);
    await page.getByText('12 earlier messages').click();
    await page.getByText('question 10').waitFor();
    await page.getByText('1 tool').click();
    await page.getByText('"find_refund"').first().waitFor();
    await page.getByText('temperature 0.2').waitFor();
  });

  it('shows images, but none of another host', async () => {
    const prompt = page.getByRole('list', { name: 'Messages of the prompt' });
    await prompt.getByRole('img', { name: 'Recorded image' }).waitFor();
    expect(await prompt.getByRole('img').count()).toBe(1);
    await prompt.getByRole('link', { name: 'https://example.com/elsewhere.png' }).waitFor();
  });

  it('renders Markdown without markup or scripts of the record', async () => {
    const answer = page.getByRole('list', { name: 'Messages of the output' });
    expect(await answer.locator('strong').textContent()).toBe('two');
    expect(await answer.locator('ul li').allTextContents()).toEqual(['a base', 'a shade']);
    expect(await answer.locator('img, script').count()).toBe(0);
    const links = await answer.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(links).toEqual(['https://example.com', 'https://example.com/far.png']);
    expect(await answer.textContent()).toContain('<img src=x');
    await answer.getByRole('button', { name: 'Source' }).click();
    await answer.getByText('# A lamp').waitFor();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'breaks no rule of WCAG 2.2 AA with the %s theme, %i pixels wide',
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      for (const id of [chat, slow]) {
        await page.goto(`/traces/${id}`);
        await page.getByRole('region', { name: 'Output' }).waitFor();
        expect(await findings()).toEqual([]);
      }
    },
  );
});

describe('a trace of 12,000 spans', () => {
  it('shows its first spans before the last are loaded, and then all of them', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const long = newTraceId();
    const root = span(long, 'long', 0, {});
    const spans = Array.from({ length: 11_999 }, (_, index) =>
      span(long, `step ${index}`, index, {}, { parent_id: root.id }),
    );
    for (let start = 0; start < spans.length; start += 3_000)
      await dashboard.recorder.ingest([...(start === 0 ? [root] : []), ...spans.slice(start, start + 3_000)]);
    let letPass = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letPass = resolve;
    });
    await page.route('**/api/v1/traces/*?*cursor=*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`/traces/${long}`);
    await page.getByText('Loading spans: 5,000 of 12,000').waitFor();
    await item('step 0').waitFor();
    letPass();
    await page.getByText('Loading spans').waitFor({ state: 'detached' });
    await page.getByRole('tree').press('End');
    await panel('step 11998').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

it('violates no content security policy, logs no error and requests no other host', () => {
  expect(dashboard.faults).toEqual([]);
});
