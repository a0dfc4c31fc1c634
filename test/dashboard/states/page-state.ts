import type { Page } from 'playwright-core';
import type { Demo } from '../demo-account.js';

/** Who looks: the demo account's owner, a key that only reads, an account without calls, or nobody who is signed in. */
export type Viewer = 'owner' | 'reader' | 'newcomer' | 'visitor';

/** What a page shows. */
export interface PageState {
  /** `<page>-<state>`. Names its pictures. */
  name: string;
  /** Default: the owner. */
  viewer?: Viewer;
  path: string | ((demo: Demo) => string);
  /** A text that is shown once the page is loaded. */
  shown: string | RegExp;
  /** Leads from the loaded page to the state. */
  steps?: (page: Page, demo: Demo) => Promise<unknown>;
  /** What the service answers to requests of a path, in place of its own answer. */
  answer?:
    | { path: string | ((demo: Demo) => string); status: number; body: object }
    | { path: string | ((demo: Demo) => string); never: true };
  /** What the browser logs in the state, which is a fault elsewhere. */
  logs?: RegExp;
  /** The state exists at this width alone. */
  only?: number;
  /** A menu, whose place depends on the width of the window. */
  isPlaced?: true;
  /** Has pictures in both themes. */
  isMain?: true;
}

/** The service's answer to what it cannot do. Not a 5xx: the page would try again first. */
export const FAILURE = { detail: 'The disk is full. Free some space, and try again.', status_code: 409 };

/** Opens a page in a state. */
export async function show(page: Page, demo: Demo, state: PageState): Promise<void> {
  const read = (text: string | ((of: Demo) => string)): string =>
    typeof text === 'string' ? text : text(demo);
  const { answer } = state;
  // Only where needed: the browser caches nothing while requests are routed.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  if (answer) {
    const path = read(answer.path);
    await page.route(
      (url) => url.pathname === path,
      (route) =>
        'never' in answer
          ? new Promise<never>(() => undefined)
          : route.fulfill({ status: answer.status, json: answer.body }),
    );
  }
  // Addresses that differ after # alone would not load the page again.
  await page.goto('about:blank');
  await page.goto(read(state.path));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByText(state.shown).filter({ visible: true }).first().waitFor();
  await state.steps?.(page, demo);
  if (!(answer && 'never' in answer)) await page.waitForLoadState('networkidle');
}

/** Presses a button. */
export const press =
  (name: string | RegExp) =>
  (page: Page): Promise<void> =>
    page.getByRole('button', { name }).first().click();

/** Presses a button, and waits for a dialog with a text. */
export const open =
  (name: string | RegExp, shown: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await press(name)(page);
    await page.locator('dialog').getByText(shown).first().waitFor();
  };

/** Opens a menu, presses a button in it, and waits for a dialog with a text. */
export const openFromMenu =
  (menu: string | RegExp, name: string | RegExp, shown: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await press(menu)(page);
    await open(name, shown)(page);
  };

/** Presses a key, and waits for a dialog with a text. */
export const openByKey =
  (key: string, shown: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press(key);
    await page.locator('dialog').getByText(shown).first().waitFor();
  };
