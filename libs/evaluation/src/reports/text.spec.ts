import { item, makeReport, side, SMALL } from '../../test/sample-report.js';
import { toText } from './text.js';

describe('The text report', () => {
  it('starts with the decision, and aligns columns', () => {
    expect(toText(SMALL)).toBe(`Failed 2 of 4 checks: classify-ticket

Failed check  Limit      Measured
errors        at most 0  1
changed       at most 1  5

- 1 of 7 items has an error; the gate allows none.
- 5 of 7 items count as changed (3 changed, 1 new error, 1 cannot be compared); the gate allows at most 1.

7 calls replayed, 2 unchanged, 3 changed, 1 not comparable, 1 error. Of these, 1 new error, 1 fixed, 2 with different calls inside.

Score  Mean  Interval         Items         Change  p      Items changed
exact  0.5   0.0945 to 0.905  2, 5 missing  -0.5    p = 1  1 worse, 0 better

Per call      Mean  Change of the mean  p        95th percentile  Change of the percentile  p        Items
Duration, ms  200   +105                p = 0.5  290              +191                      p = 0.5  2, 1 unknown

To look at

1. call a2: new error, 1 different call inside
   Input      "late"
   Baseline   {label: "delivery"}
   Candidate  TypeError: label is undefined
   Call       missing: agent → guardrail

2. call a1: changed
   Input      "Where is my refund?"
   Baseline   {label: "billing"}
   Candidate  {label: "other"}
   exact      true → false  wrong: A refund is billing.
   Duration   300 ms, baseline 100 ms
   https://dacapo.test/traces/t-1

3. call a3: changed
   $.at       2026-01-01 (Date) → "2026-01-01" (text)
   $.more     nothing → 1

4. call a4, repetition 2: not comparable

5. call a5: unchanged, 1 different call inside
   Call       changed arguments: search

https://dacapo.test/test-runs/r
`);
  });

  it('prints no control characters, and lists ten items', () => {
    const items = Array.from({ length: 13 }, (_, index) =>
      item(index, { verdict: 'error', error: new Error(`\u001b[2J\u0007${index}${'x'.repeat(199)}`) }),
    );
    const text = toText(makeReport(items, { errors: 0 }, { title: 'a\u001b[31mb\r\n' }));
    expect(text).not.toMatch(/[^\n\P{Cc}]/u);
    expect(text).toContain('Failed 1 of 3 checks: a [31mb \n');
    expect(text).toMatch(/^10\. #9: error\n +Candidate +Error: {2}\[2J 9x{140,160}…$/m);
    expect(text).not.toContain('#10');
    expect(text.endsWith('\n3 more items to look at.\n')).toBe(true);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(200);
    expect(toText(makeReport(items), { maxItems: 13 })).not.toContain('more');
  });

  it('shows where streams with the same error differ', () => {
    const diff = [
      { path: '$[0]', kind: 'value' as const, before: side('"approved"'), now: side('"REJECTED"') },
    ];
    const text = toText(makeReport([item(0, { verdict: 'error', error: new Error('down'), diff })]));
    expect(text).toContain('Candidate  Error: down\n   $[0]       "approved" → "REJECTED"\n');
    const other = [{ ...diff[0]!, path: '$error.message' }];
    const failing = toText(
      makeReport([item(0, { verdict: 'error', error: new Error('down'), diff: other })]),
    );
    expect(failing).toContain('Candidate  Error: down\n');
  });

  it('does not cut the name of an item', () => {
    const name = 'x'.repeat(300);
    const failed = item(123_456, { verdict: 'error', error: 'no', repetition: 12, name });
    expect(toText(makeReport([failed], { errors: 0 }))).toContain(`\n1. ${name}, repetition 13: error\n`);
  });

  it('describes why calls were skipped', () => {
    const totals = { ...SMALL.totals, skipped: { beyond_limit: 3, other_class: 1, moon_phase: 2 } };
    expect(toText({ ...SMALL, totals })).toContain(
      'Skipped 6 (3 beyond the limit, 1 of another class, 2 moon_phase).',
    );
  });

  it('is a line or two when there is nothing to report', () => {
    expect(toText(makeReport([item(0)], {}))).toBe('Passed 3 checks\n\n1 call replayed, 1 unchanged.\n');
  });
});

describe('A thrown value', () => {
  it.each<[unknown, string]>([
    [new RangeError('far'), 'RangeError: far'],
    [{ name: 'Mine', message: 'm' }, 'Mine: m'],
    [{ message: 5 }, 'Error: 5'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ reason: 1 }, 'an object'],
  ])('is shown as text: %p', (error, expected) => {
    expect(toText(makeReport([item(0, { verdict: 'error', error })]))).toContain(`Candidate  ${expected}\n`);
  });
});
