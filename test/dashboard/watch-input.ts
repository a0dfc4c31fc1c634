import type { Page } from 'playwright-core';

interface Input {
  clicks: number;
  keys: number;
}

/** Counts what a person would do from the next load of a page on: presses of the mouse and of keys. */
export async function watchInput(page: Page): Promise<() => Promise<Input>> {
  await page.addInitScript(`{
    const input = (globalThis.input = { clicks: 0, keys: 0 });
    addEventListener('pointerdown', () => { input.clicks += 1; }, true);
    addEventListener('keydown', () => { input.keys += 1; }, true);
  }`);
  return () => page.evaluate<Input>('input');
}
