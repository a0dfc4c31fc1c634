import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { Gallery, PAGE_STATES } from './dashboard/page-states.js';

let gallery: Gallery;

beforeAll(async () => {
  gallery = await Gallery.open();
});

afterAll(() => gallery.close());

interface Finding {
  id: string;
  nodes: { target: string[] }[];
}

/** axe has the size of targets, which is new in WCAG 2.2, off by default. */
const ALL_RULES = `{ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }`;
/** The themes differ in colours alone. */
const RULES_OF_COLOURS = `{ resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] }`;

/** Rules of WCAG 2.2 AA, and best practices, that the page breaks. */
const findRules = async (page: Page, rules: string): Promise<string[]> => {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(source);
  const { violations } = await page.evaluate<{ violations: Finding[] }>(`axe.run(document, ${rules})`);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
};

const overhangPx = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Elements that a mouse can press, and a keyboard cannot reach. */
const findUnreachable = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('body *')].filter((one) => {
    const focusable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const isReached = one.closest(focusable + ', label, option') !== null;
    return getComputedStyle(one).cursor === 'pointer' && !isReached && !one.closest('tr')?.querySelector(focusable);
  }).map((one) => one.outerHTML.slice(0, 100))`);

describe('in both themes, on a desktop and on a phone,', () => {
  it.each(PAGE_STATES)(
    '$name breaks no rule of WCAG 2.2 AA, does not scroll sideways, and is used without a mouse',
    async (state) => {
      const found: string[] = [];
      await gallery.visit(state, async ({ page, width, theme }) => {
        const overhang = await overhangPx(page);
        found.push(
          ...(await findRules(page, theme === 'light' ? ALL_RULES : RULES_OF_COLOURS)).map(
            (rule) => `${theme}, ${width}: ${rule}`,
          ),
          ...(await findUnreachable(page)).map((element) => `no key reaches ${element}`),
          ...(overhang === 0 ? [] : [`${theme}, ${width}: ${overhang} pixels too wide`]),
        );
      });
      expect(found).toEqual([]);
    },
  );
});

it('violates no content security policy, logs no error and requests no other host', () => {
  // The first is of states in which the service refuses.
  const expected = [/status of 4\d\d/, ...PAGE_STATES.flatMap(({ logs }) => logs ?? [])];
  expect(gallery.faults().filter((fault) => !expected.some((logged) => logged.test(fault)))).toEqual([]);
});
