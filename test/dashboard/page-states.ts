import type { Page } from 'playwright-core';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API } from '@dacapo/protocol/api';
import { removeFolder } from '../support/remove-folder.js';
import { type Demo, recordDemo } from './demo-account.js';
import { startDashboard } from './start-dashboard.js';
import { CALLS } from './states/calls.js';
import { type PageState, show, type Viewer } from './states/page-state.js';
import { READING } from './states/reads.js';
import { RUNS } from './states/runs.js';
import { SETTINGS } from './states/settings.js';
import type { WatchedPage } from './watched-page.js';

/** Every page in every state. Accessibility is checked in each, and each has a picture. */
export const PAGE_STATES: readonly PageState[] = [...CALLS, ...RUNS, ...SETTINGS, ...READING];

/** A desktop and a phone. */
const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

const SAVED_VIEWS = [
  { name: 'Failed last night', search: 'status=error&since=12h' },
  { name: 'Slow chats', search: 'session_id=chat-7f3a' },
];

/** An open stream is a network that is never idle. */
const NO_STREAM = 'window.EventSource = class extends EventTarget { close() {} }';

interface Look {
  page: Page;
  width: number;
  theme: 'light' | 'dark';
}

/** The demo account, and whoever looks at it. */
export class Gallery {
  private constructor(
    private readonly dashboard: Awaited<ReturnType<typeof startDashboard>>,
    private readonly folder: string,
    private readonly demo: Demo,
    private readonly viewers: Record<Viewer, WatchedPage>,
  ) {}

  static async open(): Promise<Gallery> {
    const folder = await mkdtemp(join(tmpdir(), 'dacapo-operator-'));
    const operatorToken = 'operator-token-of-the-gallery-only';
    await writeFile(join(folder, 'token'), operatorToken, { mode: 0o600 });
    const dashboard = await startDashboard({ operatorTokenFile: join(folder, 'token') });
    const { collector, recorder } = dashboard;
    const demo = await recordDemo(collector, recorder);
    const created = await fetch(collector.url + API.accounts.create.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'newcomer' }),
    });
    const { api_key: emptyKey } = (await created.json()) as { api_key: { api_key: string } };
    const enter = async (apiKey?: string): Promise<WatchedPage> => {
      const viewer = await dashboard.visit();
      await viewer.page.addInitScript(NO_STREAM);
      if (apiKey !== undefined)
        await viewer.page.request.post(API.browserSessions.signIn.path, { data: { api_key: apiKey } });
      return viewer;
    };
    const owner = await enter(collector.apiKey);
    await owner.page.addInitScript(
      // The blank page between two states has no storage.
      `if (origin !== 'null') localStorage.setItem('dacapo.views', ${JSON.stringify(JSON.stringify(SAVED_VIEWS))})`,
    );
    return new Gallery(dashboard, folder, demo, {
      owner,
      reader: await enter(demo.readOnlyKey),
      newcomer: await enter(emptyKey.api_key),
      visitor: await enter(),
    });
  }

  /** Console errors, policy violations and requests to other hosts, of all viewers. */
  faults(): string[] {
    return Object.values(this.viewers).flatMap(({ faults }) => faults);
  }

  /** Opens a state once, and looks at it in each window and each theme. */
  async visit(state: PageState, look: (at: Look) => Promise<void>): Promise<void> {
    const { page } = this.viewers[state.viewer ?? 'owner'];
    const windows = WINDOWS.filter(({ width }) => state.only === undefined || state.only === width);
    for (const [index, window] of windows.entries()) {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.setViewportSize(window);
      if (index === 0 || state.isPlaced) await show(page, this.demo, state);
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await look({ page, width: window.width, theme });
      }
    }
  }

  async close(): Promise<void> {
    await this.dashboard.close();
    await removeFolder(this.folder);
  }
}
