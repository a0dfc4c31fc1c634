import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { API, type Answer } from '@dacapo/protocol/api';
import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';
import { watchInput } from './dashboard/watch-input.js';
import { removeFolder } from './support/remove-folder.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
/** In the repository, so that its packages are found. */
let folder: string;

beforeEach(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByText('Waiting for your first call …').waitFor();
  folder = await mkdtemp(join(__dirname, '.first-run-'));
  const npm = join(folder, 'npm');
  await writeFile(npm, '#!/bin/sh\n');
  await chmod(npm, 0o755);
});

afterEach(async () => {
  await dashboard.close();
  await removeFolder(folder);
});

const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');

/** Runs lines as a newcomer does, except that `npm` installs nothing. */
const paste = (lines: string) =>
  promisify(execFile)('bash', ['-ec', lines], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` },
  });

const listKeys = async () =>
  (await dashboard.recorder.get<Answer<typeof API.apiKeys.list>>(API.apiKeys.list.path)).items;

describe('the first run', () => {
  it('leads to the first trace with one copy', async () => {
    const input = await watchInput(page);
    await page.goto('/');
    await page.getByRole('button', { name: /^Create key and copy/ }).click();
    await page.getByRole('button', { name: /^Copied/ }).waitFor();
    const lines = await copied();
    expect(lines).toMatch(/^npm install @dacapo\/tracer\n/);
    await writeFile(join(folder, '.env'), 'OTHER=1');
    const { stdout } = await paste(lines);
    expect(stdout).toContain('billing');
    expect(await readFile(join(folder, '.env'), 'utf8')).toMatch(
      /^OTHER=1\nTRACER_API_KEY=dcp_\w+\nTRACER_SERVICE_URL=http:\/\/127\.0\.0\.1:\d+\n$/,
    );
    await page.getByText('Your first call arrived.').waitFor();
    expect(await input()).toEqual({ clicks: 1, keys: 0 });
    await page.getByRole('link', { name: 'Open the trace' }).click();
    await page.getByRole('heading', { name: 'classify-ticket', level: 1 }).waitFor();
    await page.getByText('I was charged twice.').first().waitFor();
  });

  it('creates one key, which only sends, and shows it until the page is closed', async () => {
    const before = await listKeys();
    await page.getByRole('button', { name: /^Create key and copy/ }).click();
    await page.getByText('The key is shown only now.').waitFor();
    await page.getByRole('tab', { name: 'NestJS' }).click();
    await page.getByText('npx dacapo init').waitFor();
    const [key = ''] = /dcp_\w+/.exec((await page.locator('pre').textContent()) ?? '') ?? [];
    expect(key).not.toBe('');
    const created = (await listKeys()).filter(({ id }) => before.every((known) => known.id !== id));
    expect(created).toEqual([expect.objectContaining({ name: 'First run', scopes: ['ingest'] })]);
    const answer = await fetch(dashboard.collector.url + API.traces.list.path, {
      headers: { 'api-key': key },
    });
    expect(answer.status).toBe(403);
    await page.reload();
    await page.getByText('TRACER_API_KEY=<your key>').waitFor();
    expect(await page.locator('body').textContent()).not.toContain(key);
  });

  it('sends a span by OTLP, by keyboard alone', async () => {
    const input = await watchInput(page);
    await page.goto('/');
    await page.getByText('Waiting for your first call …').waitFor();
    const tab = page.locator('[role=tab]:focus');
    for (let presses = 0; (await tab.count()) === 0 && presses < 12; presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowLeft');
    await page.locator('[role=tab]:focus', { hasText: 'OTLP' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('button', { name: /^Copied/ }).waitFor();
    const lines = await copied();
    await paste(lines);
    await page.getByText('Your first call arrived.').waitFor();
    const link = page.locator('a:focus', { hasText: 'Open the trace' });
    for (let presses = 0; (await link.count()) === 0 && presses < 12; presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /classify-ticket/ }).waitFor();
    expect((await input()).clicks).toBe(0);
  });

  it('has lines for PowerShell', async () => {
    for (const tab of ['SDK', 'NestJS', 'Clients', 'OTLP']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByLabel('Shell').selectOption('PowerShell');
      expect(await page.locator('pre').textContent()).not.toMatch(/export |cat >|curl /);
    }
  });

  it('creates no key for a viewer, and says whom to ask', async () => {
    const reader = (await dashboard.recorder.post(API.apiKeys.create.path, {
      name: 'reader',
      scopes: ['read'],
    })) as { api_key: string };
    const visitor = await dashboard.visit();
    await visitor.page.goto('/traces');
    await visitor.page.getByLabel('API key').fill(reader.api_key);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByText('Ask an admin for one with the scope ingest.').waitFor();
    expect(await visitor.page.getByRole('button', { name: /Create key/ }).count()).toBe(0);
    await visitor.page.context().close();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'breaks no rule of WCAG 2.2 AA with the %s theme, %i pixels wide',
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      await page.evaluate(source);
      const { violations } = await page.evaluate<{ violations: object[] }>('axe.run(document)');
      expect(violations).toEqual([]);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBe(0);
      expect(dashboard.faults).toEqual([]);
      if (process.env['DACAPO_TEST_SCREENSHOTS']) {
        await page.screenshot({
          path: join(process.env['DACAPO_TEST_SCREENSHOTS'], `first-run-${width}.png`),
        });
      }
    },
  );
});
