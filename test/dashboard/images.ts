/* `npm run images` makes docs/images: a picture of each state of each page at both widths, and of the main states in both themes. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Gallery, PAGE_STATES } from './page-states.js';

const FOLDER = join(__dirname, '../../docs/images');
/** Of 100. Text stays sharp, and a picture is a third of a PNG. */
const QUALITY = 75;

let gallery: Gallery;
const made = new Set<string>();

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
  gallery = await Gallery.open();
});

afterAll(() => gallery.close());

/** Playwright takes no WebP. */
const take = async (page: Page): Promise<Buffer> => {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await session.detach();
  return Buffer.from(data, 'base64');
};

it.each(PAGE_STATES)('takes $name', async (state) => {
  await gallery.visit(state, async ({ page, width, theme }) => {
    if (theme === 'dark' && !state.isMain) return;
    const file = `${state.name}-${width}${theme === 'dark' ? '-dark' : ''}.webp`;
    await writeFile(join(FOLDER, file), await take(page));
    made.add(file);
  });
});

it('removes pictures of states that are gone', async () => {
  const left = (await readdir(FOLDER)).filter((file) => !made.has(file));
  await Promise.all(left.map((file) => rm(join(FOLDER, file))));
});
