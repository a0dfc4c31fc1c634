import { item, makeReport, type SampleItem, side } from '../../test/sample-report.js';
import type { Gate } from '../gate/gate.js';
import type { Run, RunReport } from '../run/run-report.js';
import { toHtml } from './html/html.js';
import { toJUnit } from './junit.js';
import { toMarkdown } from './markdown.js';
import type { ReportOptions } from '../run/report-options.js';
import { toText } from './text.js';

const each = (run: RunReport | Pick<Run, 'report'>, options?: ReportOptions): string[] => [
  toText(run, options),
  toMarkdown(run, options),
  toJUnit(run, options),
  toHtml(run, options),
];

describe('Each report', () => {
  it.each<[string, Gate | undefined]>([
    ['without a gate', undefined],
    ['with one that is kept', {}],
  ])('%s shows what really ran', (_, gate) => {
    const ranLive = { mail: 3, 'look-up': 1 };
    for (const text of each(makeReport([item(0)], gate, { ranLive })))
      expect(text).toContain('Ran live, not mocked: mail 3, look-up 1');
    for (const text of each(makeReport([item(0)], gate, { ranLive: {} })))
      expect(text).not.toContain('Ran live');
  });

  it.each<[string, Partial<RunReport>, string]>([
    ['ended early', { status: 'interrupted' }, 'The run ended early.'],
    ['misses items', { status: 'finished' }, 'Items are missing from the run.'],
  ])('shows no run without a gate as whole that %s', (_, more, message) => {
    const report = makeReport([item(0)], undefined, more);
    if (more.status === 'finished') report.totals.missing = 2;
    const [text, markdown, junit] = each(report);
    expect(text).toMatch(/^Interrupted, no gate\n/);
    expect(markdown).toMatch(/^## Interrupted, no gate\n/);
    expect(junit).toContain(' tests="2" failures="1" errors="0"');
    expect(junit).toContain(`name="complete"><failure message="${message}">`);
    const whole = toJUnit(makeReport([item(0)], undefined, { status: 'finished' }));
    expect(whole).toContain(' tests="1" failures="0"');
  });
});

it.each([
  ['repetitions, apart from calls', 42, 3, {}, '14 calls replayed in 42 repetitions, 42 unchanged.'],
  ['one call', 1, 1, {}, '1 call replayed, 1 unchanged.'],
  ['no calls', 0, 1, { replay: 14 }, '0 calls replayed. Skipped 14 (replays).'],
  [
    'reasons to skip',
    0,
    1,
    { replay: 4, unfinished: 2, not_first: 0 },
    'Skipped 6 (4 replays, 2 unfinished).',
  ],
])('every report counts %s', (_, repetitions, repeat, skipped, expected) => {
  const items = Array.from({ length: repetitions }, (__, repetition) =>
    item(Math.floor(repetition / repeat), repeat > 1 ? { repetition: repetition % repeat } : {}),
  );
  const report = makeReport(items, undefined, { title: 'desk' });
  for (const text of each({ ...report, totals: { ...report.totals, skipped } }))
    expect(unescape(text)).toContain(expected);
});

/** A report without the escapes of its format. */
function unescape(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\\([^\w\s])/g, '$1')
    .replaceAll('\u200b', '');
}

const SECRET = 'sk-not-for-anyone-0123456789';

describe('Without values', () => {
  it.each<[string, Partial<SampleItem>]>([
    ['input', { texts: { input: SECRET } }],
    ['output', { texts: { candidate: SECRET } }],
    ['baseline', { texts: { baseline: SECRET } }],
    ['difference', { diff: [{ path: '$', kind: 'value', before: side(SECRET), now: side(SECRET) }] }],
    ['message of an error', { verdict: 'error', error: new Error(SECRET) }],
    ['error that is a text', { verdict: 'error', error: SECRET }],
    ['label', { scores: [{ name: 'exact', score: 0, label: SECRET }] }],
    ['explanation', { scores: [{ name: 'exact', score: 0, explanation: SECRET }] }],
    ['score that is a text', { scores: [{ name: 'kind', score: SECRET }] }],
  ])("no report shows an item's %s", (_, changes) => {
    const gates: (Gate | undefined)[] = [
      undefined,
      { changed: 0, scores: { exact: { min: 1 } } },
      { changed: 1 },
    ];
    for (const gate of gates) {
      const report = makeReport([item(0, { verdict: 'changed', ...changes })], gate);
      for (const text of each(report, { showValues: false })) expect(text).not.toContain(SECRET);
    }
  });

  it('a run is shown by its report, never by its live values', () => {
    const report = makeReport([item(0)]);
    const run = {
      ...makeReport([item(0, { verdict: 'error', error: new Error(SECRET) })]),
      report: () => report,
    };
    expect(each(run)).toEqual(each(report));
  });
});
