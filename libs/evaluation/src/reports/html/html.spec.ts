import { createHash } from 'node:crypto';
import { changed, item, makeReport, SMALL } from '../../../test/sample-report.js';
import { toHtml } from './html.js';
import { render } from './markup.js';
import { differing } from './row-article.js';
import { STYLE, STYLE_HASH } from './style.js';

describe('The HTML page', () => {
  it('allows its own style sheet and nothing else', () => {
    expect(STYLE_HASH).toBe(createHash('sha256').update(STYLE).digest('base64'));
    const page = toHtml(SMALL);
    expect(page).toContain(`<style>${STYLE}</style>`);
    expect(page).toContain('default-src &#39;none&#39;; style-src &#39;sha256-');
    expect(page).not.toMatch(/<script|<img|<link|<iframe| style=| on\w+=|url\(|@import/i);
  });

  it('has the decision, each check with limit and measured value, figures, and each item', () => {
    const text = toHtml(SMALL)
      .replace(/<style>.*<\/style>/s, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
    expect(text).toContain('Failed 2 of 4 checks : classify-ticket 7 calls replayed, 2 unchanged');
    expect(text).toContain('failed errors at most 0 1 ');
    expect(text).toContain('passed minItems at least 1 7 ');
    expect(text).toContain('exact 0.5 0.0945 to 0.905 2, 5 missing -0.5 p = 1 1 worse, 0 better');
    expect(text).toContain('New errors (1) call a2 new error, 1 different call inside Input');
    expect(text).toContain('true → false wrong: A refund is billing.');
    for (const title of ['Changed (2)', 'Not comparable (1)', 'Different calls inside (1)', 'Fixed (1)'])
      expect(text).toContain(title);
  });

  it('escapes all values', () => {
    const hostile =
      '</style></pre><script>alert(1)</script><img src=x onerror=alert(1)>"\'`&\u0000\u202e\ud800';
    const report = makeReport(
      [
        {
          ...changed(0, hostile, `${hostile}!`, hostile),
          name: hostile,
          texts: { input: hostile },
          url: 'javascript:alert(1)',
          scores: [{ name: hostile, score: 0, label: hostile, explanation: hostile }],
          divergences: [{ kind: 'extra', path: [hostile] }],
        },
        item(1, { verdict: 'error', error: new Error(hostile) }),
      ],
      { scores: { [hostile]: { min: 1 } } },
      {
        title: hostile,
        testRunUrl: 'javascript:alert(1)',
        notes: [hostile],
        warnings: [hostile],
        ranLive: { [hostile]: 1 },
      },
    );
    const page = toHtml(report);
    expect(page).not.toMatch(/<script|<img|<a |\u202e|[^\n\t\P{Cc}]|\p{Surrogate}/u);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;');
  });

  it('stays within its size, and counts the items that do not fit', () => {
    const items = Array.from({ length: 500 }, (_, index) =>
      changed(index, `"${'a'.repeat(300)}${index}"`, '"b"'),
    );
    const page = toHtml(makeReport(items), { maxBytes: 100_000 });
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(100_000);
    const shown = page.match(/<article /g)!.length;
    expect(page).toContain(`${500 - shown} more items.`);
    expect(toHtml(makeReport(items), { maxBytes: 1 })).toBe(toHtml(makeReport(items), { maxBytes: 20_000 }));
  });

  it('lists a thousand unchanged items, and counts the others', () => {
    const page = toHtml(makeReport(Array.from({ length: 1_001 }, (_, index) => item(index))));
    expect(page).toContain('#999');
    expect(page).not.toContain('#1000');
    expect(page).toContain('1 item without a list.');
  });
});

describe('The marks in two texts', () => {
  const marks = (baseline: string, candidate: string): string[] => {
    const marked = differing(baseline, candidate);
    return [render(marked.baseline), render(marked.candidate)];
  };

  it.each([
    ['on its way today', 'on its long way today', ['on its way today', 'on its <ins>long </ins>way today']],
    ['label: billing', 'label: billed', ['label: <del>billing</del>', 'label: <ins>billed</ins>']],
    ['aa aa', 'aa', ['aa<del> aa</del>', 'aa']],
    ['all of it', 'something else', ['all of it', 'something else']],
    ['', '', ['', '']],
    [
      'It left on Monday and is with the carrier now, who …',
      'It left on a Tuesday and is with the carrier now, w…',
      [
        'It left on <del>Monday</del> and is with the carrier now, who …',
        'It left on <ins>a Tuesday</ins> and is with the carrier now, w…',
      ],
    ],
  ])('of %j and %j', (baseline, candidate, expected) => {
    expect(marks(baseline, candidate)).toEqual(expected);
  });
});
