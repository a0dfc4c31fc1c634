import type { TestRunItemSummary } from '@dacapo/protocol';
import { type ReplayEvidence, verifyFix } from './verify-fix.js';

const item = (item_no: number, facts: Partial<TestRunItemSummary> = {}): TestRunItemSummary => ({
  item_no,
  verdict: 'same',
  source_trace_id: `trace-${item_no}`,
  ...facts,
});
const fixed = item(0, { verdict: 'changed', fixed: true });
const evidence = (items: TestRunItemSummary[], facts: Partial<ReplayEvidence> = {}): ReplayEvidence => ({
  targets: new Set(['trace-0']),
  items,
  totals: { items: items.length, missing: 0, unstored: 0 },
  isComplete: true,
  isStale: false,
  ...facts,
});

describe('a verified fix', () => {
  it('has the failing call fixed and the other calls unharmed', () => {
    expect(verifyFix(evidence([fixed, item(1), item(2)]))).toEqual({
      isVerified: true,
      reasons: ['1 of 1 named calls fixed, 2 of 2 other calls unharmed.'],
    });
  });

  it.each<[string, ReplayEvidence, string]>([
    [
      'the call still fails',
      evidence([item(0, { failing_as_before: true }), item(1)]),
      'still fail as recorded',
    ],
    ['the call fails differently', evidence([item(0, { verdict: 'error' }), item(1)]), 'not fixed failures'],
    ['the call had not failed', evidence([item(0, { verdict: 'changed' }), item(1)]), 'not fixed failures'],
    ['the call is the same and had not failed', evidence([item(0), item(1)]), 'not fixed failures'],
    [
      'another call changed',
      evidence([fixed, item(1), item(2, { verdict: 'changed' })]),
      '1 of 2 other calls changed',
    ],
    [
      'another call is unknown',
      evidence([fixed, item(1), item(2, { verdict: 'unknown' })]),
      '1 of 2 other calls',
    ],
    [
      'another call fails anew',
      evidence([fixed, item(1), item(2, { verdict: 'error' })]),
      '1 of 2 other calls',
    ],
    [
      'another call made other calls inside',
      evidence([fixed, item(1), item(2, { divergence_count: 1 })]),
      '1 of 2',
    ],
    ['there is no other call', evidence([fixed]), 'No other call'],
    [
      'all other calls fail as recorded',
      evidence([fixed, item(1, { failing_as_before: true })]),
      'No other call',
    ],
    ['the call was not replayed', evidence([item(1)]), '1 of the named traces were not replayed'],
    ['nothing was named', evidence([fixed, item(1)], { targets: new Set() }), 'No failing call was named'],
    ['the build is stale', evidence([fixed, item(1)], { isStale: true }), 'build, then replay again'],
    ['the replay failed', evidence([fixed, item(1)], { isComplete: false }), 'did not end well'],
    [
      'an item is missing',
      evidence([fixed, item(1)], { totals: { items: 2, missing: 1, unstored: 0 } }),
      'not replayed or not stored',
    ],
    [
      'an item was not stored',
      evidence([fixed, item(1)], { totals: { items: 2, missing: 0, unstored: 1 } }),
      'not replayed or not stored',
    ],
    [
      'the list of items is shorter than the count',
      evidence([fixed, item(1)], { totals: { items: 3, missing: 0, unstored: 0 } }),
      'not replayed or not stored',
    ],
    ['nothing was replayed', evidence([]), 'No other call'],
  ])('is none when %s', (_, given, reason) => {
    const { isVerified, reasons } = verifyFix(given);
    expect(isVerified).toBe(false);
    expect(reasons.join(' ')).toContain(reason);
  });
});
