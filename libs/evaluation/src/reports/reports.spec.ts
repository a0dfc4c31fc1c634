import { decide } from '../gate/decide.js';
import type { Gate } from '../gate/gate.js';
import { RunTally } from '../run/run-tally.js';
import type { RunItem } from '../run/run-item.js';
import { toJUnit } from './junit.js';
import { toMarkdown } from './markdown.js';
import type { ReportItem, RunReport } from './report.js';
import { toText } from './text.js';

const item = (itemNo: number, changes: Partial<RunItem & ReportItem> = {}): RunItem & ReportItem => ({
  itemNo,
  input: [],
  verdict: 'same',
  divergences: [],
  scores: [],
  ...changes,
});

function reportOf(items: (RunItem & ReportItem)[], gate?: Gate, more: Partial<RunReport> = {}): RunReport {
  const tally = new RunTally();
  for (const one of items) tally.add(one);
  const summary = tally.summarize();
  return { ...summary, failures: [], ...(gate && decide(summary, gate)), items, ...more };
}

const side = (text: string, type = 'text'): { type: string; text: string } => ({ type, text });
const changed = (itemNo: number, before: string, now: string, path = '$.label'): RunItem & ReportItem =>
  item(itemNo, {
    verdict: 'changed',
    diff: [{ path, kind: 'value', before: side(before), now: side(now) }],
  });

const SMALL = reportOf(
  [
    item(0, {
      scores: [{ name: 'exact', score: true }],
      originalScores: [{ name: 'exact', score: true }],
      ...{ durationMs: 100, originalDurationMs: 90, timing: 'paired' as const },
    }),
    item(1, {
      ...changed(1, '"billing"', '"other"'),
      sourceTraceId: 't-1',
      url: 'https://dacapo.test/test-runs/r/items/1',
      scores: [{ name: 'exact', score: false }],
      originalScores: [{ name: 'exact', score: true }],
      ...{ durationMs: 300, originalDurationMs: 100, timing: 'paired' as const },
    }),
    item(2, {
      verdict: 'error',
      error: new TypeError('label is undefined'),
      divergences: [{ kind: 'missing', path: ['agent', 'guardrail'] }],
    }),
    item(3, {
      verdict: 'changed',
      diff: [
        { path: '$.at', kind: 'type', before: side('2026-01-01', 'Date'), now: side('"2026-01-01"') },
        { path: '$.more', kind: 'added', now: side('1', 'number') },
      ],
    }),
    item(4, { verdict: 'unknown', repetition: 1 }),
    item(5, { divergences: [{ kind: 'changed_arguments', path: ['search'] }] }),
    item(6, { verdict: 'changed', fixed: true }),
  ],
  { changed: 1, errors: 0 },
  { title: 'classify-ticket', testRunUrl: 'https://dacapo.test/test-runs/r' },
);

describe('each report', () => {
  const each = (report: RunReport): string[] => [toText(report), toMarkdown(report), toJUnit(report)];

  it.each<[string, Gate | undefined]>([
    ['without a gate', undefined],
    ['with one that is kept', {}],
  ])('%s tells what ran for real', (_, gate) => {
    const ranLive = { mail: 3, 'look-up': 1 };
    for (const text of each(reportOf([item(0)], gate, { ranLive })))
      expect(text).toContain('Ran inside the calls, for real: mail 3, look-up 1');
    for (const text of each(reportOf([item(0)], gate, { ranLive: {} })))
      expect(text).not.toContain('for real');
  });

  it.each<[string, Partial<RunReport>, string]>([
    ['ended early', { status: 'interrupted' }, 'The run ended early.'],
    ['misses items', { status: 'finished' }, 'Items are missing from the run.'],
  ])('shows no run without a gate as whole that %s', (_, more, message) => {
    const report = reportOf([item(0)], undefined, more);
    if (more.status === 'finished') report.totals.missing = 2;
    const [text, markdown, junit] = each(report);
    expect(text).toMatch(/^Interrupted, no gate\n/);
    expect(markdown).toMatch(/^## Interrupted, no gate\n/);
    expect(junit).toContain(' tests="2" failures="1" errors="0"');
    expect(junit).toContain(`name="complete"><failure message="${message}">`);
    const whole = toJUnit(reportOf([item(0)], undefined, { status: 'finished' }));
    expect(whole).toContain(' tests="1" failures="0"');
  });
});

describe('a comment for a pull request', () => {
  it('says the decision first, then figures, then what to look at', () => {
    expect(toMarkdown(SMALL)).toBe(
      `## Failed: classify-ticket

- 1 of 7 items has an error; the gate allows none.
- 4 of 7 items count as changed \\(3 changed, 1 cannot be compared\\); the gate allows at most 1.

7 items: 2 same, 3 changed, 1 unknown, 1 with an error, 1 fixed, 2 with other calls inside. [The whole run](<https://dacapo.test/test-runs/r>)

| Score | Mean | Interval | Items | Change | p | Items changed |
| --- | --- | --- | --- | --- | --- | --- |
| exact | 0.5 | 0.0945 to 0.905 | 2, 5 missing | -0.5 | p = 1 | 1 worse, 0 better |

| Of an item | Mean | 95th percentile | Items | Change of the mean | p |
| --- | --- | --- | --- | --- | --- |
| Duration, ms | 200 | 290 | 2, 1 unknown | \\+105 | p = 0.5 |

### To look at

**\\#\u200b2**: error, 1 other call inside

\`TypeError: label is undefined\`

- missing: \`agent → guardrail\`

**\\#\u200b1 of trace t-1**: changed [Look at it](<https://dacapo.test/test-runs/r/items/1>)

| Where | Before | Now |
| --- | --- | --- |
| \`$.label\` | \`"billing"\` | \`"other"\` |

**\\#\u200b3**: changed

| Where | Before | Now |
| --- | --- | --- |
| \`$.at\` | \`2026-01-01\` Date | \`"2026-01-01"\` text |
| \`$.more\` |  | \`1\` |

**\\#\u200b4, repetition 1**: cannot be compared

**\\#\u200b5**: same, 1 other call inside

- changed arguments: \`search\`
`,
    );
  });

  it('is short where nothing is to be said', () => {
    expect(toMarkdown(reportOf([item(0)], {}))).toBe('## Passed\n\n1 item: 1 same.\n');
    expect(toMarkdown(reportOf([item(0)]))).toBe('## No gate\n\n1 item: 1 same.\n');
    expect(toMarkdown(reportOf([]))).toBe('## No gate\n\n0 items.\n');
  });

  it('makes no markup, link or mention of what outputs and messages hold', () => {
    const text = toMarkdown(
      reportOf(
        [
          changed(0, '`|``code`', 'a|b', '$["<img src=x>"]'),
          changed(1, '@admin #1 https://evil.test', '**bold**\n# heading\u202e\u0007', '$`'),
          item(2, { verdict: 'error', error: '`[x](https://evil.test) @all\n```' }),
        ],
        { scores: { '@me | [x](y) GH-5 www.evil.test <b>': { min: 1 } } },
        { title: '<script> @you\n# more', testRunUrl: 'javascript:alert(1)' },
      ),
    );
    expect(text).toContain('## Failed: \\<script\\> @\u200byou \\#\u200b more\n');
    expect(text).toContain('@\u200bme \\| \\[x\\]\\(y\\) GH-\u200b5 www.\u200bevil.test \\<b\\>');
    expect(text).not.toContain('javascript:');
    expect(text).toContain('| `$["<img src=x>"]` | ``` `\\|``code` ``` | `a\\|b` |');
    expect(text).toContain('| `` $` `` | `@admin #1 https://evil.test` | ` **bold** # heading  ` |');
    expect(text).toContain('\n\n```` `[x](https://evil.test) @all ``` ````\n');
    expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
  });

  it('keeps links that are links', () => {
    const url = 'https://dacapo.test/a b?x=<1>\n';
    expect(toMarkdown(reportOf([], undefined, { testRunUrl: url }))).toContain(
      '[The whole run](<https://dacapo.test/a%20b?x=%3C1%3E%20>)',
    );
  });

  it('fits the room there is, and counts what it leaves out', () => {
    const long = 'x'.repeat(400);
    const items = Array.from({ length: 1000 }, (_, index) => changed(index, long, `${long}y`));
    const whole = toMarkdown(reportOf(items));
    expect(whole.length).toBeLessThanOrEqual(60_000);
    expect(whole.length).toBeGreaterThan(55_000);
    const shown = whole.match(/\*\*: changed/g)!.length;
    expect(whole.endsWith(`\n${1000 - shown} more items to look at.\n`)).toBe(true);
    const small = toMarkdown(reportOf(items), { maxCharacters: 2_000 });
    expect(small.length).toBeLessThanOrEqual(2_000);
    expect(small).toContain('**\\#\u200b0**: changed');
    expect(toMarkdown(reportOf(items), { maxCharacters: 5 })).toBe(small);
    const many = reportOf(items, undefined, { failures: Array.from({ length: 50 }, () => long) });
    expect(toMarkdown(many, { maxCharacters: 3_000 }).length).toBeLessThanOrEqual(3_000);
    expect(toMarkdown(many)).toContain('- 40 more failures\n');
    expect(toMarkdown(reportOf([changed(0, 'a', 'b')]))).not.toContain('more');
  });

  it('shows ten differences and five calls of an item', () => {
    const diff = Array.from({ length: 12 }, (_, index) => ({
      ...{ path: `$[${index}]`, kind: 'added' as const },
      now: side('1', 'number'),
    }));
    const divergences = Array.from({ length: 7 }, (_, index) => ({
      ...{ kind: 'extra' as const, path: [`call${index}`] },
    }));
    const text = toMarkdown(reportOf([item(0, { verdict: 'changed', diff, divergences })]));
    expect(text).toContain('`$[9]`');
    expect(text).not.toContain('`$[10]`');
    expect(text).toContain('2 more differences.');
    expect(text).toContain('7 other calls inside');
    expect(text).toContain('call4');
    expect(text).not.toContain('call5');
  });

  it('tells no values where nobody should see them', () => {
    const text = toMarkdown(SMALL, { showValues: false });
    expect(text).not.toMatch(/billing|label is undefined|2026/);
    expect(text).toContain('| Where | What |\n| --- | --- |\n| `$.label` | value |');
  });

  it('shows scores that sort, and those that do not apply', () => {
    const labelled = ['a', 'b', 'a', null].map((score, index) =>
      item(index, { scores: [{ name: 'kind', score }] }),
    );
    expect(toMarkdown(reportOf(labelled))).toContain('| kind | a 2, b 1 |  | 3, 1 n/a |  |  |  |');
  });
});

describe('JUnit XML', () => {
  it('has the gate and each item as tests', () => {
    expect(toJUnit(SMALL)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="dacapo" tests="8" failures="4" errors="1" time="0.400">
<testsuite name="classify-ticket" tests="8" failures="4" errors="1" time="0.400">
<properties><property name="totals" value="7 items: 2 same, 3 changed, 1 unknown, 1 with an error, 1 fixed, 2 with other calls inside"/></properties>
<testcase classname="classify-ticket" name="gate"><failure message="1 of 7 items has an error; the gate allows none.">1 of 7 items has an error; the gate allows none.&#10;4 of 7 items count as changed (3 changed, 1 cannot be compared); the gate allows at most 1.</failure></testcase>
<testcase classname="classify-ticket" name="#0" time="0.100"/>
<testcase classname="classify-ticket" name="#1 of trace t-1" time="0.300"><failure message="changed">changed&#10;$.label: &#34;billing&#34; → &#34;other&#34;</failure></testcase>
<testcase classname="classify-ticket" name="#2" time="0.000"><error message="TypeError: label is undefined">error, 1 other call inside</error></testcase>
<testcase classname="classify-ticket" name="#3" time="0.000"><failure message="changed">changed&#10;$.at: 2026-01-01 → &#34;2026-01-01&#34;&#10;$.more: nothing → 1</failure></testcase>
<testcase classname="classify-ticket" name="#4, repetition 1" time="0.000"><failure message="cannot be compared">cannot be compared</failure></testcase>
<testcase classname="classify-ticket" name="#5" time="0.000"/>
<testcase classname="classify-ticket" name="#6" time="0.000"/>
<system-out>Failed.&#10;1 of 7 items has an error; the gate allows none.&#10;4 of 7 items count as changed (3 changed, 1 cannot be compared); the gate allows at most 1.</system-out>
</testsuite>
</testsuites>
`);
  });

  it('does not fail for what a gate allows', () => {
    const passed = reportOf([changed(0, 'a', 'b'), item(1, { verdict: 'error', error: 'no' })], {
      changed: 1,
      errors: 1,
    });
    const xml = toJUnit(passed);
    expect(xml).toContain('tests="3" failures="0" errors="0"');
    expect(xml).toContain('<testcase classname="run" name="gate"/>');
    expect(xml).toContain('<system-out>changed&#10;$.label: a → b</system-out>');
    expect(xml).not.toMatch(/<failure|<error/);
  });

  it('fails for each item that is not the same where there is no gate', () => {
    const xml = toJUnit(reportOf([changed(0, 'a', 'b'), item(1), item(2, { verdict: 'error' })]));
    expect(xml).toContain('tests="3" failures="1" errors="1"');
    expect(xml).not.toContain('name="gate"');
    expect(xml).toContain('<error message="error">');
  });

  it('is XML whatever it is made of', () => {
    const nasty = ']]>&<"\'\u0000\u0008\u000b\u001b[31m\ud800\ufffe\uffff\n\t😀';
    const xml = toJUnit(
      reportOf(
        [changed(0, nasty, nasty, nasty), item(1, { verdict: 'error', error: new Error(nasty) })],
        undefined,
        {
          title: nasty,
        },
      ),
    );
    const escaped = ']]&#62;&#38;&#60;&#34;&#39;[31m\ufffd&#10;&#9;😀';
    expect(xml).toContain(`<testsuite name="${escaped}" `);
    expect(xml).toContain(`message="Error: ${escaped}"`);
    // Nothing but elements, attributes in quotes and escaped text.
    const rest = xml
      .replace(/<\?xml[^?]*\?>/, '')
      .replace(/<\/?[a-z-]+(?: [a-z]+="[^"<&]*(?:&#\d+;[^"<&]*)*")*\/?>/g, '')
      .replace(/&#\d+;/g, '');
    expect(rest).not.toMatch(/[<&]|[^\n\P{Cc}]|\p{Surrogate}/u);
  });
});

describe('a table for a terminal', () => {
  it('says the decision first, in columns', () => {
    expect(toText(SMALL)).toBe(`Failed: classify-ticket
- 1 of 7 items has an error; the gate allows none.
- 4 of 7 items count as changed (3 changed, 1 cannot be compared); the gate allows at most 1.

7 items: 2 same, 3 changed, 1 unknown, 1 with an error, 1 fixed, 2 with other calls inside

Score  Mean  Interval         Items         Change  p      Items changed
exact  0.5   0.0945 to 0.905  2, 5 missing  -0.5    p = 1  1 worse, 0 better

Of an item    Mean  95th percentile  Items         Change of the mean  p
Duration, ms  200   290              2, 1 unknown  +105                p = 0.5

To look at
#2                error, 1 other call inside  TypeError: label is undefined
#1 of trace t-1   changed                     $.label: "billing" → "other"
#3                changed                     $.at: 2026-01-01 → "2026-01-01"
#4, repetition 1  cannot be compared
#5                same, 1 other call inside

https://dacapo.test/test-runs/r
`);
  });

  it('sends a terminal no control characters, and lists ten items', () => {
    const items = Array.from({ length: 13 }, (_, index) =>
      item(index, { verdict: 'error', error: new Error(`\u001b[2J\u0007${'x'.repeat(99)}`) }),
    );
    const text = toText(reportOf(items, { errors: 0 }, { title: 'a\u001b[31mb\r\n' }));
    expect(text).not.toMatch(/[^\n\P{Cc}]/u);
    expect(text).toContain('Failed: a [31mb \n');
    expect(text).toMatch(/^#9 +error {2}Error: {2}\[2J x{47}…$/m);
    expect(text).not.toContain('#10');
    expect(text.endsWith('\nand 3 more\n')).toBe(true);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(100);
    expect(toText(reportOf(items), { maxItems: 13 })).not.toContain('more');
  });

  it('shows where a stream differs that failed with the same error', () => {
    const diff = [
      { path: '$[0]', kind: 'value' as const, before: side('"approved"'), now: side('"REJECTED"') },
    ];
    const text = toText(reportOf([item(0, { verdict: 'error', error: new Error('down'), diff })]));
    expect(text).toContain('error  $[0]: "approved" → "REJECTED"; Error: down\n');
    const other = [{ ...diff[0]!, path: '$error.message' }];
    const failing = toText(reportOf([item(0, { verdict: 'error', error: new Error('down'), diff: other })]));
    expect(failing).toContain('error  Error: down\n');
  });

  it('gives the id of a trace whole, also of a repetition', () => {
    const sourceTraceId = '0190b6e2-7c1f-7d3a-8f00-0123456789ab';
    const played = item(123_456, { verdict: 'error', error: 'no', repetition: 12, sourceTraceId });
    expect(toText(reportOf([played], { errors: 0 }))).toContain(
      `#123456, repetition 12 of trace ${sourceTraceId}  `,
    );
  });

  it('says in words why calls were left out', () => {
    const totals = { ...SMALL.totals, skipped: { beyond_limit: 3, other_class: 1, moon_phase: 2 } };
    expect(toText({ ...SMALL, totals })).toContain(
      '3 left out (beyond the limit), 1 left out (of another class), 2 left out (moon_phase)',
    );
  });

  it('is a line or two where nothing is to be said', () => {
    expect(toText(reportOf([item(0)], {}))).toBe('Passed\n\n1 item: 1 same\n');
  });
});

describe('what was thrown', () => {
  it.each<[unknown, string]>([
    [new RangeError('far'), 'RangeError: far'],
    [{ name: 'Mine', message: 'm' }, 'Mine: m'],
    [{ message: 5 }, 'Error: 5'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ reason: 1 }, 'an object'],
  ])('is told as text: %p', (error, told) => {
    expect(toText(reportOf([item(0, { verdict: 'error', error })]))).toContain(
      `error    ${told}`.replace('    ', '  '),
    );
  });
});
