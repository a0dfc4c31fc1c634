import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium.js';

/** A host name of this machine that browsers treat as insecure over HTTP, unlike `localhost`. */
export const PLAIN_HOST = 'plain.test';

/**
 * Launches a headless browser: the one at `DACAPO_TEST_BROWSER`, else Chromium from an npm package on Linux x64, else the
 * installed Chrome.
 *
 * @throws Error with what to install when there is no browser
 */
export async function launchBrowser(): Promise<Browser> {
  const path = process.env['DACAPO_TEST_BROWSER'];
  // Chromium needs `--no-sandbox` as root. It opens only our own pages.
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

/** Retries, because this Chromium build crashes in about one of some hundred starts. */
async function launchAgain(options: LaunchOptions, triesLeft = 2): Promise<Browser> {
  try {
    return await chromium.launch(options);
  } catch (error) {
    if (triesLeft === 0 || !String(error).includes('signal=SIGSEGV')) throw error;
    return launchAgain(options, triesLeft - 1);
  }
}
