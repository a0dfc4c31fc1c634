import { type ErrorRecord, newTraceId, type TracePage } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
});

afterAll(() => dashboard.close());

describe('traces', () => {
  const traceId = newTraceId();
  const error: ErrorRecord = {
    name: 'RateLimitError',
    message: '429 from the provider',
    code: 'rate_limit',
    stack: 'RateLimitError: 429 from the provider\n    at answer (answer.ts:12:5)',
    cause: { name: 'Error', message: 'socket hang up' },
    errors: [{ name: 'Error', message: 'the other model was away too' }],
    class: 'BusyModelError',
    properties: { status: 429, type: 'requests_per_minute' },
  };

  beforeAll(async () => {
    const root = span(
      traceId,
      'handle-ticket',
      0,
      {
        input: [{ subject: 'Refund' }, 'en'],
        output: { reply: 'Refunded.' },
        contexts: [{ first: 1 }, { second: 2 }],
      },
      { type: 'agent', duration_ms: 4_000 },
    );
    const answer = span(
      traceId,
      'answer',
      1_000,
      {
        input: ['Refund'],
        error,
        prompt: 'system: be kind\nuser: Refund',
        usage: { model: 'small', input_tokens: 1_200 },
      },
      { type: 'llm', parent_id: root.id },
    );
    const classify = span(traceId, 'classify', 500, { output: 'billing' }, { parent_id: root.id });
    const lookUp = span(
      traceId,
      'look-up',
      1_200,
      {},
      {
        type: 'function',
        kind: 'tool',
        level: 'warn',
        parent_id: answer.id,
      },
    );
    const other = newTraceId();
    await dashboard.recorder.ingest(
      [lookUp, answer, root, classify, span(other, 'other-key', 60_000, { output: 'other' })],
      [
        {
          id: traceId,
          session_id: 'conversation-1',
          user_id: 'mina@example.com',
          environment: 'staging',
          release: '1.4.0',
          tags: ['beta', 'vip'],
          metadata: { release: 'r7' },
          contexts: { customer: 'Mina' },
        },
        { id: other, session_id: 'conversation-2' },
      ],
    );
  });

  /** @param values by field label */
  async function addFilter(kind: string, values: Record<string, string>): Promise<void> {
    await page.getByRole('button', { name: 'Add filter' }).click();
    const editor = page.getByRole('dialog', { name: 'Add filter' });
    await editor.getByLabel('Filter by').selectOption(kind);
    for (const [label, value] of Object.entries(values)) {
      await editor.getByLabel(label, { exact: true }).fill(value);
    }
    await editor.getByRole('button', { name: 'Apply' }).click();
  }

  const names = (): Promise<string[]> => page.locator('tbody tr td:nth-child(3) a').allTextContents();

  const query = async (text: string): Promise<void> => {
    await page.getByLabel('Query').fill(text);
    await page.getByLabel('Query').press('Enter');
  };

  const line = (): Promise<string> => page.getByLabel('Query').inputValue();

  it('are listed newest first', async () => {
    await page.goto('/traces');
    await page.getByRole('link', { name: 'handle-ticket' }).waitFor();
    expect(await names()).toEqual(['other-key', 'handle-ticket']);
    const cells = await page
      .getByRole('row', { name: /handle-ticket/ })
      .getByRole('cell')
      .allTextContents();
    expect(cells[3]).toMatch(/^1 inner error.*Refunded\./);
    expect(cells.slice(4)).toEqual(['conversation-1', '4', '4.00 s', '1,200', 'unknown']);
  });

  it('are filtered by a line of conditions, which the address has', async () => {
    await query('session:conversation-1');
    await page.getByRole('link', { name: 'other-key' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'handle-ticket' }).waitFor();
    expect(await names()).toEqual(['handle-ticket']);
    expect(new URL(page.url()).search).toBe('?session_id=conversation-1');

    await query('session:conversation-1 status:cancelled');
    await page.getByText('No trace matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await query('key:other-key');
    await page.getByRole('link', { name: 'handle-ticket' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'other-key' }).waitFor();
    expect(await names()).toEqual(['other-key']);
    await page.goto('/traces?metadata.release=r7&min_duration_ms=3000');
    await page.getByRole('link', { name: 'handle-ticket' }).waitFor();
    expect(await line()).toBe('metadata.release:r7 duration>=3000');
  });

  it('are filtered by the conditions of the editor, which the line shows', async () => {
    await page.goto('/traces');
    await addFilter('Model', { is: 'small' });
    await addFilter('Duration', { 'at least (ms)': '3000' });
    await addFilter('Metadata', { path: 'release', is: 'r7' });
    await page.getByRole('link', { name: 'other-key' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'answer' }).waitFor();
    expect(new URL(page.url()).search).toBe('?model=small&min_duration_ms=3000&metadata.release=r7');
    expect(await line()).toBe('model:small duration>=3000 metadata.release:r7');
    await page.locator('button:focus', { hasText: 'Add filter' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'answer' }).waitFor();
    expect(await line()).toBe('model:small duration>=3000 metadata.release:r7');
    await query('since:1h');
    await page.getByText('No trace matches these filters.').waitFor();
    expect(new URL(page.url()).search).toBe('?since=1h');
  });

  it('are filtered by user, tag, environment, release, kind and level, with suggestions', async () => {
    await page.goto('/traces');
    await page.getByRole('button', { name: 'Add filter' }).click();
    const editor = page.getByRole('dialog', { name: 'Add filter' });
    for (const [kind, value] of [
      ['User', 'mina@example.com'],
      ['Tag', 'vip'],
      ['Environment', 'staging'],
      ['Release', '1.4.0'],
    ] as const) {
      await editor.getByLabel('Filter by').selectOption(kind);
      await editor.locator(`datalist option[value="${value}"]`).waitFor({ state: 'attached' });
    }
    await page.keyboard.press('Escape');
    await query('user:mina@example.com tag:vip environment:staging release:1.4.0 kind:tool level:warn');
    await page.getByRole('link', { name: 'other-key' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'look-up' }).waitFor();
    await query('tag:none');
    await page.getByText('No trace matches these filters.').waitFor();
    await page.goto(`/traces/${traceId}`);
    const facts = page.getByRole('list', { name: 'About this trace' });
    for (const text of ['mina@example.com', 'staging', '1.4.0', 'beta', 'vip'])
      await facts.getByRole('link', { name: text, exact: true }).waitFor();
    await facts.getByRole('link', { name: 'mina@example.com' }).click();
    await page.getByRole('link', { name: 'handle-ticket' }).waitFor();
    expect(new URL(page.url()).search).toContain('user_id=mina');
  });

  it('are filtered by values that the service suggests, whichever rows are loaded', async () => {
    await page.goto('/traces');
    await page.getByRole('button', { name: 'Add filter' }).click();
    const editor = page.getByRole('dialog', { name: 'Add filter' });
    const suggested = (value: string): Promise<void> =>
      editor.locator(`datalist option[value="${value}"]`).waitFor({ state: 'attached' });
    await suggested('look-up');
    await editor.getByLabel('Filter by').selectOption('Metadata');
    await suggested('release');
    await editor.getByLabel('path', { exact: true }).fill('release');
    await suggested('r7');
    await page.keyboard.press('Escape');
  });

  it('are found by words, and a notice names traces that are not indexed yet', async () => {
    await page.goto('/traces');
    await page.getByRole('link', { name: 'other-key' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('refund');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'other-key' }).waitFor({ state: 'detached' });
    expect(await names()).toEqual(['handle-ticket']);
    await page.locator('mark', { hasText: 'Refund' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('?text=refund');

    await page.route('**/api/v1/traces?*text=parcel*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as TracePage;
      await route.fulfill({ json: { ...body, text_indexed_until: '2026-03-04T14:00:00.000000Z' } });
    });
    await query('parcel');
    await page.getByText('are still being indexed and may be missing').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByText('are still being indexed').waitFor({ state: 'detached' });
    await page.getByText('No trace matches these filters.').waitFor();
    await page.locator('input:focus').fill('');
    await page.getByRole('link', { name: 'other-key' }).waitFor();
  });

  it('are sorted, and a rejected filter shows what is wrong', async () => {
    await page.getByRole('button', { name: 'Duration' }).click();
    await page.waitForURL('**/traces?sort=duration_ms');
    await page.locator('tbody tr:first-child', { hasText: 'handle-ticket' }).waitFor();
    await query('modle:small');
    expect(await page.locator('input:invalid').count()).toBe(1);
    await query('tokens>=9 tokens<=3');
    await page.getByText('must not be greater than max_tokens, which is 3').waitFor();
    expect(dashboard.faults.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  it('are grouped by session', async () => {
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: 'conversation-1' }).click();
    await page.getByRole('link', { name: 'handle-ticket' }).click();
    await page.getByRole('heading', { name: 'handle-ticket', level: 1 }).waitFor();
    expect(page.url()).toContain(`/traces/${traceId}`);
  });

  it('are shown as a tree with each span below its parent', async () => {
    const rows = await page.getByRole('treeitem').all();
    const tree = await Promise.all(
      rows.map(async (row) => [
        (await row.textContent())?.split(',')[0],
        await row.getAttribute('aria-level'),
      ]),
    );
    expect(tree).toEqual([
      ['handle-ticket', '1'],
      ['classify', '2'],
      ['answer', '2'],
      ['look-up', '3'],
    ]);
  });

  it('open on the span where the error began', async () => {
    await page.getByRole('treeitem', { name: /^answer/, selected: true }).waitFor();
    await page.getByRole('heading', { name: 'answer', level: 2 }).waitFor();
  });

  it('show the input, output and contexts of a span in order', async () => {
    await page.getByRole('treeitem', { name: /^handle-ticket/ }).click();
    await page.getByRole('region', { name: 'Input' }).getByText('"Refund"').waitFor();
    await page.getByRole('region', { name: 'Output' }).getByText('"Refunded."').waitFor();
    const contexts = await page
      .getByRole('region', { name: 'Contexts' })
      .getByRole('listitem')
      .allTextContents();
    expect(contexts.map((context) => /first|second/.exec(context)?.[0])).toEqual(['first', 'second']);
  });

  it('show the error, prompt and usage of the span that an arrow key reaches', async () => {
    await page.getByRole('tree').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const panel = page.getByRole('region', { name: 'Span answer' });
    await panel.getByText('RateLimitError').first().waitFor();
    await panel.getByText('429 from the provider').first().waitFor();
    await panel.getByText('socket hang up').waitFor();
    await panel.getByText('the other model was away too').waitFor();
    await panel.getByText('(class BusyModelError)').waitFor();
    await panel.getByText('requests_per_minute').waitFor();
    expect(await panel.getByRole('region', { name: 'Prompt' }).textContent()).toContain(
      'system: be kind\nuser: Refund',
    );
    expect(await panel.getByRole('region', { name: 'Usage' }).textContent()).toContain('1,200');
  });

  it('show the session, metadata and contexts of the trace', async () => {
    await page.getByText('release: r7').waitFor();
    await page.getByText('Metadata').click();
    await page.getByText('"r7"').waitFor();
    await page.getByText('Trace contexts').click();
    await page.getByText('"Mina"').waitFor();
    await page
      .getByRole('list', { name: 'About this trace' })
      .getByRole('link', { name: 'conversation-1' })
      .waitFor();
  });

  it('are reported as not found after one request when the id is unknown', async () => {
    const traceId = newTraceId();
    const answered = page.waitForResponse(`**/api/v1/traces/${traceId}*`);
    await page.route(`**${API.browserSessions.get.path}`, async (route) => {
      await answered;
      await route.continue();
    });
    await page.goto(`/traces/${traceId}`);
    await page.getByText('Trace not found.').waitFor();
    await page.unrouteAll();
    expect(dashboard.faults.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  it('with a thousand spans render only the rows in view', async () => {
    const large = newTraceId();
    const chain = Array.from({ length: 20 }, (_, level) => span(large, `level ${level + 1}`, level, {}));
    chain.forEach((each, level) => {
      if (level > 0) each.parent_id = chain[level - 1]!.id;
    });
    const leaves = Array.from({ length: 980 }, (_, i) =>
      span(large, `leaf ${i + 1}`, 100 + i, {}, { parent_id: chain[19]!.id }),
    );
    await dashboard.recorder.ingest([...chain, ...leaves]);
    await page.goto(`/traces/${large}`);
    await page.getByRole('treeitem', { name: /^level 20\b/ }).waitFor();
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
    await page.getByRole('tree').press('End');
    await page.getByRole('heading', { name: 'leaf 980' }).waitFor();
    await page.getByRole('treeitem', { name: /^leaf 980\b/, selected: true }).waitFor();
  });

  it('cut a large payload until the reader shows all of it', async () => {
    const large = newTraceId();
    await dashboard.recorder.ingest([
      span(large, 'large', 0, { output: `${'long '.repeat(100_000)}the end` }),
    ]);
    await page.goto(`/traces/${large}`);
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('Showing 4 KB of 488 KB.').waitFor();
    expect(await output.textContent()).not.toContain('the end');
    await output.getByRole('button', { name: 'Show all' }).click();
    expect(await output.textContent()).toContain('the end');
    // The browser skips the layout of chunks out of view.
    const laidOut = `getComputedStyle(document.querySelector('section[aria-label=Output] pre > span')).contentVisibility`;
    await expect(page.evaluate(laidOut)).resolves.toBe('auto');

    const download = page.waitForEvent('download');
    await output.getByRole('button', { name: /^Download/ }).click();
    expect((await download).suggestedFilename()).toMatch(/^[0-9a-f]{16}-output\.txt$/);
  });
});

describe('all of these pages', () => {
  it('violate no content security policy, log no error and request no other host', () => {
    expect(dashboard.faults).toEqual([]);
  });
});
