import type { Page } from 'playwright-core';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';
import type { WatchedPage } from './dashboard/watched-page.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
let ann: WatchedPage;
let code = '';

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  ann = await dashboard.visit();
});

afterAll(() => dashboard.close());

const openMembers = async (): Promise<void> => {
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
};

const invite = async (name: string, role: string): Promise<string> => {
  await page.getByRole('button', { name: 'Invite a member' }).click();
  await page.getByLabel('Member name').fill(name);
  await page.getByRole('radio', { name: role }).check();
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText(`Copy “Link for ${name}” now`).waitFor();
  const dialog = page.getByRole('dialog', { name: 'Invite a member' });
  const link = await dialog.getByRole('status').locator('code').textContent();
  await dialog.getByRole('button', { name: 'Close' }).click();
  return link ?? '';
};

describe('members', () => {
  it('join with a link, whose secret leaves the address, and see their code once', async () => {
    await openMembers();
    const link = await invite('Ann', 'developer');
    await page.getByRole('row', { name: /^Ann .* invited/ }).waitFor();
    await ann.page.goto(link);
    await ann.page.getByRole('heading', { name: 'Join Dacapo' }).waitFor();
    expect(new URL(ann.page.url()).hash).toBe('');
    await ann.page.getByRole('button', { name: 'Join' }).click();
    await ann.page.getByRole('heading', { name: 'Welcome, Ann' }).waitFor();
    code = (await ann.page.getByRole('status').locator('code').textContent()) ?? '';
    await ann.page.getByRole('button', { name: 'Continue' }).click();
    await ann.page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    await ann.page.getByRole('button', { name: 'Ann, developer' }).waitFor();

    const late = await dashboard.visit();
    await late.page.goto(link);
    await late.page.getByRole('button', { name: 'Join' }).click();
    await late.page.getByText('This link was already used or has expired.').waitFor();
  });

  it('sign in with their code, and see what their role forbids', async () => {
    await ann.page.getByRole('button', { name: 'Ann, developer' }).click();
    await ann.page.getByRole('button', { name: 'Sign out' }).click();
    await ann.page.getByLabel('API key or sign-in code').fill(code);
    await ann.page.getByRole('button', { name: 'Sign in' }).click();
    await ann.page.getByRole('button', { name: 'Ann, developer' }).waitFor();
    await ann.page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click();
    await ann.page
      .getByText(/The role developer lacks the scope manage/)
      .first()
      .waitFor();
  });

  it('get a new role and a new link', async () => {
    await page.reload();
    const changed = page.waitForResponse(/\/role$/);
    await page.getByLabel('Role of Ann').selectOption('admin');
    expect((await changed).status()).toBe(200);
    await ann.page.reload();
    await ann.page.getByRole('link', { name: 'Members' }).click();
    await ann.page.getByLabel('Role of Ann').selectOption('viewer');
    await ann.page.getByText(/This is the last admin of the account/).waitFor();
    await page.getByRole('button', { name: 'Create link for Ann' }).click();
    await page.getByText('Copy “Link for Ann” now').waitFor();
  });

  it('are signed out when they are removed', async () => {
    const link = await invite('Eve', 'admin');
    const eve = await dashboard.visit();
    await eve.page.goto(link);
    await eve.page.getByRole('button', { name: 'Join' }).click();
    await eve.page.getByRole('button', { name: 'Continue' }).click();
    const actions = page.getByRole('button', { name: 'Actions for Ann' });
    await actions.click();
    await page.getByRole('button', { name: 'Remove Ann' }).click();
    await page.getByRole('dialog', { name: 'Remove Ann' }).getByRole('button', { name: 'Cancel' }).click();
    expect(await actions.evaluate((button) => button.matches(':focus'))).toBe(true);
    await actions.click();
    await page.getByRole('button', { name: 'Remove Ann' }).click();
    await page
      .getByRole('dialog', { name: 'Remove Ann' })
      .getByRole('button', { name: 'Remove member' })
      .click();
    await page.getByRole('row', { name: /^Ann/ }).waitFor({ state: 'detached' });
    await ann.page.reload();
    await ann.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('row', { name: /member\.join .* Ann in a browser|member\.join .* Ann/ }).waitFor();
    expect(eve.faults).toEqual([]);
  });

  it('are invited and removed by keyboard alone', async () => {
    const { keyboard } = page;
    await openMembers();
    await page.getByRole('button', { name: 'Invite a member' }).focus();
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Invite a member' });
    await dialog.waitFor();
    await keyboard.press('Tab');
    await keyboard.type('Fay');
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await page.getByText('Copy “Link for Fay” now').waitFor();
    await keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Invite a member' }).waitFor();
    await page.getByRole('row', { name: /^Fay .*developer.* invited/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Fay' }).focus();
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Fay' }).waitFor();
    while (!(await page.getByRole('button', { name: 'Remove Fay' }).evaluate((one) => one.matches(':focus'))))
      await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Remove Fay' }).waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByRole('row', { name: /^Fay/ }).waitFor({ state: 'detached' });
  });

  it('are shown by pages that broke no policy, wrote no error and asked no other host', () => {
    const expected = /status of (403|409)/;
    expect(dashboard.faults).toEqual([]);
    expect(ann.faults.filter((fault) => !expected.test(fault))).toEqual([]);
  });
});
