import { changed, item, makeReport, side, SMALL } from '../../test/sample-report.js';
import { toMarkdown } from './markdown.js';

describe('The pull request comment', () => {
  it('starts with the decision, then figures, then the items to look at', () => {
    expect(toMarkdown(SMALL)).toBe(
      `## Failed 2 of 4 checks: classify-ticket

| Failed check | Limit | Measured |
| --- | --- | --- |
| errors | at most 0 | 1 |
| changed | at most 1 | 5 |

- 1 of 7 items has an error; the gate allows none.
- 5 of 7 items count as changed \\(3 changed, 1 new error, 1 cannot be compared\\); the gate allows at most 1.

7 calls replayed, 2 unchanged, 3 changed, 1 not comparable, 1 error. Of these, 1 new error, 1 fixed, 2 with different calls inside. [Open the run](<https://dacapo.test/test-runs/r>)

| Score | Mean | Interval | Items | Change | p | Items changed |
| --- | --- | --- | --- | --- | --- | --- |
| exact | 0.5 | 0.0945 to 0.905 | 2, 5 missing | -0.5 | p = 1 | 1 worse, 0 better |

| Per call | Mean | Change of the mean | p | 95th percentile | Change of the percentile | p | Items |
| --- | --- | --- | --- | --- | --- | --- | --- |
| Duration, ms | 200 | \\+105 | p = 0.5 | 290 | \\+191 | p = 0.5 | 2, 1 unknown |

### To look at

**call a2**: new error, 1 different call inside

- Input: \`"late"\`
- Baseline: \`{label: "delivery"}\`
- Candidate: \`TypeError: label is undefined\`
- Call inside, \`missing: agent → guardrail\`

**call a1**: changed [Open the trace](<https://dacapo.test/traces/t-1>)

- Input: \`"Where is my refund?"\`
- Baseline: \`{label: "billing"}\`
- Candidate: \`{label: "other"}\`
- exact: \`true → false\` \`wrong: A refund is billing.\`
- Duration: 300 ms, baseline 100 ms

**call a3**: changed

| Where | Baseline | Candidate |
| --- | --- | --- |
| \`$.at\` | \`2026-01-01 (Date)\` | \`"2026-01-01" (text)\` |
| \`$.more\` |  | \`1\` |

**call a4, repetition 2**: not comparable

**call a5**: unchanged, 1 different call inside

- Call inside, \`changed arguments: search\`
`,
    );
  });

  it('is short when there is nothing to report', () => {
    expect(toMarkdown(makeReport([item(0)], {}))).toBe(
      '## Passed 3 checks\n\n1 call replayed, 1 unchanged.\n',
    );
    expect(toMarkdown(makeReport([item(0)]))).toBe('## No gate\n\n1 call replayed, 1 unchanged.\n');
    expect(toMarkdown(makeReport([]))).toBe('## No gate\n\n0 calls replayed.\n');
  });

  it('escapes markup, links and mentions in outputs and messages', () => {
    const text = toMarkdown(
      makeReport(
        [
          changed(0, '`|``code`', 'a|b', '$["<img src=x>"]'),
          changed(1, '@admin #1 https://evil.test', '**bold**\n# heading\u202e\u0007', '$`'),
          item(2, { verdict: 'error', error: '`[x](https://evil.test) @all\n```' }),
        ],
        { scores: { '@me | [x](y) GH-5 www.evil.test <b>': { min: 1 } } },
        { title: '<script> @you\n# more', testRunUrl: 'javascript:alert(1)' },
      ),
    );
    expect(text).toContain('## Failed 2 of 5 checks: \\<script\\> @\u200byou \\#\u200b more\n');
    expect(text).toContain('@\u200bme \\| \\[x\\]\\(y\\) GH-\u200b5 www.\u200bevil.test \\<b\\>');
    expect(text).not.toContain('javascript:');
    expect(text).toContain('| `$["<img src=x>"]` | ``` `\\|``code` ``` | `a\\|b` |');
    expect(text).toContain('| `` $` `` | `@admin #1 https://evil.test` | ` **bold** # heading  ` |');
    expect(text).toContain('Candidate: ```` `[x](https://evil.test) @all ``` ````\n');
    expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
  });

  it('keeps its own links', () => {
    const url = 'https://dacapo.test/a b?x=<1>\n';
    expect(toMarkdown(makeReport([], undefined, { testRunUrl: url }))).toContain(
      '[Open the run](<https://dacapo.test/a%20b?x=%3C1%3E%20>)',
    );
  });

  it('stays within its size, and counts omitted items', () => {
    const long = 'x'.repeat(400);
    const items = Array.from({ length: 1000 }, (_, index) => changed(index, long, `${long}y`, `$.x${index}`));
    const whole = toMarkdown(makeReport(items));
    expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(60_000);
    expect(whole.length).toBeGreaterThan(55_000);
    const shown = whole.match(/\*\*: changed/g)!.length;
    expect(whole.endsWith(`\n${1000 - shown} more items to look at.\n`)).toBe(true);
    const small = toMarkdown(makeReport(items), { maxCharacters: 2_000 });
    expect(small.length).toBeLessThanOrEqual(2_000);
    expect(small).toContain('**\\#\u200b0**: changed');
    expect(toMarkdown(makeReport(items), { maxCharacters: 5 })).toBe(small);
    const many = makeReport(items, undefined, { failures: Array.from({ length: 50 }, () => long) });
    expect(toMarkdown(many, { maxCharacters: 3_000 }).length).toBeLessThanOrEqual(3_000);
    expect(toMarkdown(many)).toContain('- 40 more failures\n');
    expect(toMarkdown(makeReport([changed(0, 'a', 'b')]))).not.toContain('more');
  });

  it('shows ten differences and five calls of an item', () => {
    const diff = Array.from({ length: 12 }, (_, index) => ({
      path: `$[${index}]`,
      kind: 'added' as const,
      now: side('1', 'number'),
    }));
    const divergences = Array.from({ length: 7 }, (_, index) => ({
      kind: 'extra' as const,
      path: [`call${index}`],
    }));
    const text = toMarkdown(makeReport([item(0, { verdict: 'changed', diff, divergences })]));
    expect(text).toContain('`$[9]`');
    expect(text).not.toContain('`$[10]`');
    expect(text).toContain('2 more differences.');
    expect(text).toContain('7 different calls inside');
    expect(text).toContain('call4');
    expect(text).not.toContain('call5');
  });

  it('hides values on request', () => {
    const text = toMarkdown(SMALL, { showValues: false });
    expect(text).not.toMatch(/billing|label is undefined|2026/);
    expect(text).toContain('| Where | What |\n| --- | --- |\n| `$.label` | value |');
  });

  it('shows labels, and scores that do not apply', () => {
    const labelled = ['a', 'b', 'a', null].map((score, index) =>
      item(index, { scores: [{ name: 'kind', score }] }),
    );
    expect(toMarkdown(makeReport(labelled))).toContain('| kind | a 2, b 1 | 3, 1 n/a |');
  });
});
