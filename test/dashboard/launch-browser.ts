import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium.js';

/** A name of this machine that browsers do not trust as they trust `localhost`: what they keep from plain HTTP is kept. */
export const PLAIN_HOST = 'plain.test';

/**
 * A headless browser, with nothing installed but npm packages where that is possible (Linux on x64). Elsewhere it is
 * the Chrome of the machine, or the one that `DACAPO_TEST_BROWSER` is the path of.
 *
 * @throws Error that says what to install, when there is none
 */
export async function launchBrowser(): Promise<Browser> {
  const path = process.env['DACAPO_TEST_BROWSER'];
  // As root, Chromium runs without its sandbox only; it is shown nothing but our own pages.
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
  ];
  if (path) return chromium.launch({ executablePath: path, args });
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { executablePath, env } = await unpackedChromium();
    return launchAgain({ executablePath, env: { ...process.env, ...env }, args });
  }
  try {
    return await chromium.launch({ channel: 'chrome', args });
  } catch (cause) {
    throw new Error('Install Google Chrome, or set DACAPO_TEST_BROWSER to the path of a Chromium.', {
      cause,
    });
  }
}

/** Once in some hundred starts this build of Chromium dies of a fault in its own threads, before it has a page. */
async function launchAgain(options: LaunchOptions, triesLeft = 2): Promise<Browser> {
  try {
    return await chromium.launch(options);
  } catch (error) {
    if (triesLeft === 0 || !String(error).includes('signal=SIGSEGV')) throw error;
    return launchAgain(options, triesLeft - 1);
  }
}
