/* `npm run images` makes the screenshots of docs/images: one page each, from calls that are made here. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { getCurrentSpan, getCurrentTrace, Tracer } from '@dacapo/tracer';
import type { Page } from 'playwright-core';
import { signIn, startDashboard } from './start-dashboard.js';

const FOLDER = join(__dirname, '../../docs/images');

const TICKETS = [
  'How do I pair two lamps?',
  'The app says token expired.',
  'I want a refund, it arrived broken.',
  'Where is my order LM-1042?',
  'My card was charged twice.',
  'The invoice shows the wrong VAT number.',
  'Can I change the delivery address?',
  'The lamp flickers at 20 %.',
];

const CATEGORIES: [pattern: RegExp, category: string][] = [
  [/refund|charged|invoice/, 'billing'],
  [/order|delivery/, 'shipping'],
  [/lamp|app/, 'device'],
];

const findCategory = (text: string): string =>
  CATEGORIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';

interface Version {
  modelVersion: (text: string) => string;
  rules: string;
  route: (text: string) => string;
}

/** How long the model takes, so that bars have lengths. */
const MODEL_MS = 40;

const RECORDED: Version = {
  modelVersion: () => '2026-10-01',
  rules: 'Parcels are shipping. Money is billing.',
  route: findCategory,
};

const SHORTER_RULES: Version = {
  modelVersion: (text) => (text.startsWith('My') ? '2026-11-01' : '2026-10-01'),
  rules: 'Money is billing.',
  route: (text) => {
    if (text.startsWith('Can I')) throw new TypeError('category "delivery" is not one of the categories');
    return text.startsWith('Where') ? 'billing' : findCategory(text);
  },
};

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let tracer: Tracer;

/** The application: an agent that searches a handbook and asks a model. */
function createRoute({ modelVersion, rules, route }: Version) {
  const check = tracer.withSpan('check-policy', { type: 'guardrail' }, (text: string) => ({
    allowed: !text.includes('!'),
  }));
  const search = tracer.withSpan('search-handbook', { type: 'function' }, (text: string) => [
    { section: findCategory(text), text: 'Items can be returned within 30 days.' },
  ]);
  const ask = tracer.withSpan('route-llm', { type: 'llm' }, async (text: string) => {
    getCurrentSpan().setPrompt(`system:\nName the category of the ticket.\n${rules}\n\nuser:\n${text}`);
    getCurrentSpan().addUsage({
      model: 'gpt-5-mini',
      provider: 'openai',
      inputTokens: 262,
      outputTokens: 38,
    });
    await setTimeout(MODEL_MS);
    return { category: route(text), model_version: modelVersion(text), urgency: 'low' };
  });
  return tracer.withSpan('route-ticket', { type: 'agent' }, async (text: string) => {
    getCurrentTrace().setMetadata({ channel: 'mail', release: '2.15.0' });
    check(text);
    search(text);
    return await ask(text);
  });
}

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  tracer = new Tracer({ apiKey: dashboard.collector.apiKey ?? '', serviceUrl: dashboard.collector.url });
  const route = createRoute(RECORDED);
  for (let no = 1; no <= 40; no += 1) {
    const text = `${TICKETS[no % TICKETS.length] ?? ''} (ticket ${no})`;
    await route(text);
  }
  await tracer.flush();
});

afterAll(async () => {
  await tracer.shutdown();
  await dashboard.close();
});

const replay = (name: string, version: Version) =>
  tracer.replay('route-ticket', createRoute(version), {
    name,
    evaluators: { accuracy: ({ input, output }) => output.category === findCategory(input) },
    gate: { errors: 0, changed: 5, scores: { accuracy: { min: 0.98 } } },
  });

const take = async (name: string): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
};

it('takes the pages of traces', async () => {
  await page.goto('/');
  await page.getByRole('link', { name: 'route-ticket' }).first().click();
  await page.getByRole('treeitem', { name: /^route-llm/ }).click();
  await page.getByRole('heading', { name: 'route-llm', level: 2 }).waitFor();
  await take('trace');
  await page.goto('/?trace_function_key=route-ticket&min_spans=3');
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByLabel('Filter by').selectOption('Metadata');
  await take('filters');
});

it('takes the pages of runs', async () => {
  const first = await replay('As recorded', RECORDED);
  const second = await replay('prompt v2: shorter rules', SHORTER_RULES);
  await page.goto(second.testRunUrl);
  await page.getByRole('region', { name: 'What changed' }).waitFor();
  await take('test-run');
  await page.goto(`/test-runs/${second.testRunId}/compare?with=${first.testRunId}`);
  const compared = page.getByRole('button', { name: /^Call / });
  await compared.first().waitFor();
  const regressed = page.getByRole('button', { name: 'Call 5', exact: true });
  await ((await regressed.count()) > 0 ? regressed : compared.first()).click();
  await page.getByText('This run').first().waitFor();
  await take('compare-runs');
  await page.goto(second.testRunUrl);
  await page.getByRole('button', { name: /^category/ }).click();
  const calls = page.getByRole('list', { name: 'Calls with this change' });
  await calls.getByRole('link', { name: 'Side by side' }).first().click();
  await page.getByRole('button', { name: 'route-llm' }).click();
  await page.getByText('"category": "billing"').first().waitFor();
  await take('compare-traces');
});

it('takes the other pages', async () => {
  await page.goto('/metrics-by-key');
  await page.getByText('route-llm').first().waitFor();
  await take('metrics');
  await page.goto('/data');
  await page.getByLabel('Keep for (days)').fill('30');
  await page.getByRole('button', { name: 'Set rule …' }).click();
  await page.getByRole('dialog').getByText('are old enough to delete now').waitFor();
  await take('data');
});
