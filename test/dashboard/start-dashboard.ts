import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectorOptions, type RunningCollector, startCollector } from '@dacapo/collector';
import type { Page } from 'playwright-core';
import { launchBrowser } from './launch-browser.js';
import { Recorder } from './recorded.js';
import { type WatchedPage, watchedPage } from './watched-page.js';
import { removeFolder } from '../support/remove-folder.js';

const BUILT = join(__dirname, '../../libs/collector/dist/dashboard/index.html');

interface Dashboard extends WatchedPage {
  collector: RunningCollector;
  recorder: Recorder;
  /** Opens a page for a new visitor without cookies. @param host another name of this machine */
  visit(host?: string): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** Where dashboards store: SQLite, unless a file of tests sets something else before its first test. */
export const stored: { open(): Promise<Pick<CollectorOptions, 'storage' | 'spans'>> } = {
  open: () => Promise.resolve({}),
};

/** Starts a collector with an empty database, and a signed-out browser. */
export async function startDashboard(more: Partial<CollectorOptions> = {}): Promise<Dashboard> {
  if (!existsSync(BUILT)) throw new Error('The dashboard is not built. Run `npm run build`.');
  const dataDir = await mkdtemp(join(tmpdir(), 'dacapo-dashboard-'));
  const options = { port: 0, dataDir, ...(await stored.open()), ...more };
  const [collector, browser] = await Promise.all([startCollector(options), launchBrowser()]);
  const visit = (host = '127.0.0.1') => watchedPage(browser, collector.url.replace('127.0.0.1', host));
  return {
    ...(await visit()),
    collector,
    recorder: new Recorder(collector.url, collector.apiKey ?? ''),
    visit,
    close: async () => {
      await browser.close();
      await collector.close();
      await removeFolder(dataDir);
    },
  };
}

/** Signs in with the one-time link and opens the trace list. */
export async function signIn({ page, collector }: Dashboard): Promise<Page> {
  await page.goto(collector.dashboardUrl);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.goto('/traces');
  await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
  return page;
}
