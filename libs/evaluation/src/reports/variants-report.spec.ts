import { item, makeReport } from '../../test/sample-report.js';
import { compareVariants } from '../statistics/compare-variants.js';
import { toVariantsHtml } from './html/variants-html.js';
import { toVariantsMarkdown } from './variants-markdown.js';
import type { VariantCell, VariantsReport } from './variants-report.js';

const NAMES = ['short', 'polite', 'lazy'];
const cell = (text: string, correct: number | null, isError = false): VariantCell => ({
  text,
  isError,
  scores: [{ name: 'correct', score: correct }],
});

/** The variant `lazy` fails item 0, and is wrong about the others. */
function sample(count: number, hostile = ''): VariantsReport {
  const scored = (variant: string, no: number): VariantCell => {
    if (variant !== 'lazy') return cell(`answer ${no}${hostile}`, 1);
    return no === 0 ? cell(`RangeError: no idea${hostile}`, null, true) : cell(`no${hostile}`, 0);
  };
  const numbers = Array.from({ length: count }, (_, no) => no);
  return {
    title: `support${hostile}`,
    variants: NAMES.map((name) => ({
      name: `${name}${hostile}`,
      report: makeReport(
        numbers.map((no) =>
          item(no, {
            ...(name === 'lazy' && no === 0 && { verdict: 'error', newError: true, error: new Error('x') }),
            scores: [...scored(name, no).scores],
          }),
        ),
        { errors: 0 },
        { testRunUrl: `https://dacapo.test/test-runs/${name}` },
      ),
    })),
    comparisons: compareVariants(
      NAMES.map((name) => ({
        name: `${name}${hostile}`,
        scores: new Map([['correct', new Map(numbers.slice(1).map((no) => [no, name === 'lazy' ? 0 : 1]))]]),
      })),
    ),
    pages: [{ pair: `short and lazy${hostile}`, url: 'https://dacapo.test/test-runs/b/compare?with=a' }],
    rows: numbers.map((no) => ({
      name: `item ${no}${hostile}`,
      input: `question ${no}${hostile}`,
      cells: new Map(NAMES.map((name) => [`${name}${hostile}`, [scored(name, no)]])),
    })),
  };
}

describe('The comment on several variants', () => {
  it('has the decision of each variant, each pair compared, and a grid', () => {
    const text = toVariantsMarkdown(sample(12));
    expect(text.split('\n\n')).toEqual([
      '## Failed 1 of 3 variants: support',
      [
        '| Variant | Result | Items | Errors | correct |',
        '| --- | --- | --- | --- | --- |',
        '| [short](<https://dacapo.test/test-runs/short>) | Passed 3 checks | 12 | 0 | 1 |',
        '| [polite](<https://dacapo.test/test-runs/polite>) | Passed 3 checks | 12 | 0 | 1 |',
        '| [lazy](<https://dacapo.test/test-runs/lazy>) | Failed 1 of 3 checks | 12 | 1 | 0 |',
      ].join('\n'),
      expect.stringMatching(/^- lazy: /),
      '### Comparison',
      [
        '- correct: no evidence of a difference between short and polite, 1 against 1 \\(p = 1, n = 11\\)',
        '- correct: short is better than lazy, 1 against 0 \\(p = 0.0029, n = 11\\)',
        '- correct: polite is better than lazy, 1 against 0 \\(p = 0.0029, n = 11\\)',
      ].join('\n'),
      'Item by item: [short and lazy](<https://dacapo.test/test-runs/b/compare?with=a>)',
      '### Items',
      expect.stringContaining(
        '| item 0 | `question 0` | `answer 0`<br>correct 1 | `answer 0`<br>correct 1 | `RangeError: no idea`<br>correct - |',
      ),
    ]);
  });

  it('shows the items with the largest differences first', () => {
    const report = sample(3);
    const [first, ...others] = report.rows;
    const same = { ...first!, cells: new Map(NAMES.map((name) => [name, [cell('same', 1)]])) };
    const names = toVariantsMarkdown({ ...report, rows: [same, ...others] }).match(/^\| item \d/gm);
    expect(names).toEqual(['| item 1', '| item 2', '| item 0']);
  });

  it('fits 60,000 bytes, and counts the items that do not fit', () => {
    const text = toVariantsMarkdown(sample(900, 'ü'.repeat(50)));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
    const shown = text.match(/^\| item/gm)!.length;
    expect(shown).toBeGreaterThan(20);
    expect(text).toContain(`${900 - shown} more items.`);
  });

  it('hides inputs and outputs without values', () => {
    for (const text of [
      toVariantsMarkdown(sample(2), { showValues: false }),
      toVariantsHtml(sample(2), { showValues: false }),
    ]) {
      expect(text).not.toMatch(/question|answer|no idea/);
      expect(text).toContain('correct 1');
    }
  });
});

describe('The page on several variants', () => {
  const toText = (page: string): string =>
    page
      .replace(/<style>.*<\/style>/s, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');

  it('has the decision of each variant, each pair compared, and a grid', () => {
    const page = toVariantsHtml(sample(12));
    const text = toText(page);
    expect(text).toContain(
      'Failed 1 of 3 variants : support Variant Result Items Errors correct short Passed 3 checks 12 0 1',
    );
    expect(text).toContain('correct: short is better than lazy, 1 against 0 (p = 0.0029, n = 11)');
    expect(text).toContain('item 0 question 0 answer 0 correct 1 answer 0 correct 1 RangeError: no idea');
    expect(page).toContain('href="https://dacapo.test/test-runs/b/compare?with=a"');
  });

  it('escapes all values', () => {
    const page = toVariantsHtml(sample(2, '</pre><script>alert(1)</script>\u202e'));
    expect(page).not.toMatch(/<script|\u202e/);
    const comment = toVariantsMarkdown(sample(2, ' @all | <b> [a](https://evil.test)\n# x'));
    expect(comment.replace(/`[^`]*`/g, '')).not.toMatch(/^# x|@all|\| <b>|\]\(https:/m);
  });

  it('stays within its size, and counts the items that do not fit', () => {
    const page = toVariantsHtml(sample(500, 'x'.repeat(50)), { maxBytes: 50_000 });
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(50_000);
    expect(toText(page)).toMatch(/\d+ more items\./);
  });
});
