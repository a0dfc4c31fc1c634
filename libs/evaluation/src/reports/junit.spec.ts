import { changed, item, makeReport, SMALL } from '../../test/sample-report.js';
import type { RunReport } from '../run/run-report.js';
import { toJUnit } from './junit.js';

describe('JUnit XML', () => {
  it('has the gate and each item as tests', () => {
    expect(toJUnit(SMALL)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="dacapo" tests="8" failures="4" errors="1" time="0.400">
<testsuite name="classify-ticket" tests="8" failures="4" errors="1" time="0.400">
<properties><property name="totals" value="7 calls replayed, 2 unchanged, 3 changed, 1 not comparable, 1 error. Of these, 1 new error, 1 fixed, 2 with different calls inside."/></properties>
<testcase classname="classify-ticket" name="gate"><failure message="1 of 7 items has an error; the gate allows none.">Failed 2 of 4 checks.&#10;errors: 1 (limit: at most 0)&#10;1 of 7 items has an error; the gate allows none.&#10;changed: 5 (limit: at most 1)&#10;5 of 7 items count as changed (3 changed, 1 new error, 1 cannot be compared); the gate allows at most 1.</failure></testcase>
<testcase classname="classify-ticket" name="call a0" time="0.100"/>
<testcase classname="classify-ticket" name="call a1" time="0.300"><failure message="changed">changed&#10;Input: &#34;Where is my refund?&#34;&#10;Baseline: {label: &#34;billing&#34;}&#10;Candidate: {label: &#34;other&#34;}&#10;exact: true → false wrong: A refund is billing.&#10;Duration: 300 ms, baseline 100 ms&#10;https://dacapo.test/traces/t-1</failure></testcase>
<testcase classname="classify-ticket" name="call a2" time="0.000"><error message="TypeError: label is undefined">new error, 1 different call inside&#10;Input: &#34;late&#34;&#10;Baseline: {label: &#34;delivery&#34;}&#10;Candidate: TypeError: label is undefined&#10;missing: agent → guardrail</error></testcase>
<testcase classname="classify-ticket" name="call a3" time="0.000"><failure message="changed">changed&#10;$.at: 2026-01-01 (Date) → &#34;2026-01-01&#34; (text)&#10;$.more: nothing → 1</failure></testcase>
<testcase classname="classify-ticket" name="call a4, repetition 2" time="0.000"><failure message="not comparable">not comparable</failure></testcase>
<testcase classname="classify-ticket" name="call a5" time="0.000"/>
<testcase classname="classify-ticket" name="call a6" time="0.000"/>
<system-out>Failed 2 of 4 checks.&#10;1 of 7 items has an error; the gate allows none.&#10;5 of 7 items count as changed (3 changed, 1 new error, 1 cannot be compared); the gate allows at most 1.&#10;7 calls replayed, 2 unchanged, 3 changed, 1 not comparable, 1 error. Of these, 1 new error, 1 fixed, 2 with different calls inside.&#10;exact: Mean 0.5; Interval 0.0945 to 0.905; Items 2, 5 missing; Change -0.5; p = 1; Items changed 1 worse, 0 better&#10;Duration, ms: Mean 200; Change of the mean +105; p = 0.5; 95th percentile 290; Change of the percentile +191; p = 0.5; Items 2, 1 unknown&#10;https://dacapo.test/test-runs/r</system-out>
</testsuite>
</testsuites>
`);
  });

  it('does not fail items that the gate allows', () => {
    const passed = makeReport([changed(0, 'a', 'b'), item(1, { verdict: 'error', error: 'no' })], {
      changed: 1,
      errors: 1,
    });
    const xml = toJUnit(passed);
    expect(xml).toContain('tests="3" failures="0" errors="0"');
    expect(xml).toContain('<testcase classname="run" name="gate"/>');
    expect(xml).toContain('<system-out>changed&#10;$.label: a → b</system-out>');
    expect(xml).not.toMatch(/<failure|<error/);
  });

  it('fails each item that is not the same without a gate', () => {
    const xml = toJUnit(makeReport([changed(0, 'a', 'b'), item(1), item(2, { verdict: 'error' })]));
    expect(xml).toContain('tests="3" failures="1" errors="1"');
    expect(xml).not.toContain('name="gate"');
    expect(xml).toContain('<error message="error">');
  });

  it('is valid XML for all values', () => {
    const nasty = ']]>&<"\'\u0000\u0008\u000b\u001b[31m\ud800\ufffe\uffff\n\t😀';
    const xml = toJUnit(
      makeReport(
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

  it.each<[Partial<RunReport['totals']>, NonNullable<RunReport['status']>, string]>([
    [{ unstored: 1 }, 'finished', '1 replayed item was not stored by the service.'],
    [{ unstored: 2 }, 'interrupted', '2 replayed items were not stored by the service.'],
    [
      { missing: 1, unstored: 2 },
      'interrupted',
      'The run ended early. 2 replayed items were not stored by the service.',
    ],
  ])('reports what is incomplete in a run without a gate, with %j', (totals, status, message) => {
    const report = makeReport([item(0)], undefined, { status });
    const xml = toJUnit({ ...report, totals: { ...report.totals, ...totals } });
    expect(xml).toContain(`name="complete"><failure message="${message}">${message} `);
  });
});
