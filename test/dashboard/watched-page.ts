import type { Browser, Page } from 'playwright-core';

/** A page with a list of problems that a correct dashboard never has. */
export interface WatchedPage {
  page: Page;
  /** Console errors and warnings, uncaught errors, failed requests, and requests to other hosts. */
  faults: string[];
}

const SIGNED_OUT = /status of 401/;

export async function watchedPage(browser: Browser, url: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, baseURL: url });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    const isFault = message.type() === 'error' || message.type() === 'warning';
    if (isFault && !SIGNED_OUT.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('blob:')) faults.push(request.url());
  });
  // Chromium does not log all violations of the content security policy.
  await page.exposeFunction('reportViolation', (violation: string) => faults.push(violation));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => reportViolation(event.violatedDirective + ' ' + event.blockedURI))`,
  );
  return { page, faults };
}
