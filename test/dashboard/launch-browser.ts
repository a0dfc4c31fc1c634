import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium.js';

/** A name of this machine that browsers do not treat as `localhost`, so restrictions for plain HTTP apply. */
export const PLAIN_HOST = 'plain.test';

/**
 * Launches a headless browser: from an npm package on Linux x64, elsewhere the installed Chrome or the one at
 * `DACAPO_TEST_BROWSER`.
 *
 * @throws Error that says what to install if there is none
 */
export async function launchBrowser(): Promise<Browser> {
  const path = process.env['DACAPO_TEST_BROWSER'];
  // As root, Chromium only runs without its sandbox. It only loads our own pages.
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

/** Retries: this build of Chromium crashes before its first page in about one of several hundred starts. */
async function launchAgain(options: LaunchOptions, triesLeft = 2): Promise<Browser> {
  try {
    return await chromium.launch(options);
  } catch (error) {
    if (triesLeft === 0 || !String(error).includes('signal=SIGSEGV')) throw error;
    return launchAgain(options, triesLeft - 1);
  }
}
