import type { Change } from '@dacapo/protocol';
import { describeChange, tracesOfChange } from './describe-change.js';

const change = (more: Partial<Change>): Change => ({
  kind: 'cost',
  trace_function_key: 'f',
  current: 0.03,
  baseline: 0.01,
  calls: 1200,
  baseline_calls: 900,
  ...more,
});
const PERIOD = { since: '2026-01-01T00:00:00.000000Z', until: '2026-01-08T00:00:00.000000Z' };

describe('describeChange', () => {
  it.each<[Partial<Change>, string, string]>([
    [
      { kind: 'new_error', error: 'TimeoutError', current: 20, baseline: 0 },
      '20 × TimeoutError, new',
      '20 traces, calls 900 → 1,200',
    ],
    [
      { kind: 'failures', current: 0.1, baseline: 0.01, ratio: 10 },
      'Failures × 10',
      '1.0 % → 10 % failed, calls 900 → 1,200',
    ],
    [{ kind: 'failures', current: 0.1, baseline: 0 }, 'Failures', '0 % → 10 % failed, calls 900 → 1,200'],
    [
      { kind: 'duration', current: 3000, baseline: 1000, ratio: 3 },
      '95th percentile × 3.0',
      '1.00 s → 3.00 s, calls 900 → 1,200',
    ],
    [{ kind: 'cost', ratio: 3 }, 'Cost per call × 3.0', '$0.010 → $0.030, calls 900 → 1,200'],
  ])('of %j is "%s", shown by "%s"', (more, what, evidence) => {
    expect(describeChange(change(more))).toEqual({ what, evidence });
  });
});

describe('tracesOfChange', () => {
  it('is the filter of its calls: failed ones, or the largest first', () => {
    const found = (more: Partial<Change>) => tracesOfChange(change(more), { ...PERIOD, release: '2.0' });
    const common = { trace_function_key: 'f', ...PERIOD, release: '2.0' };
    expect(found({ kind: 'new_error', error: 'TimeoutError' })).toEqual({
      ...common,
      status: 'error',
      text: 'TimeoutError',
    });
    expect(found({ kind: 'failures' })).toEqual({ ...common, status: 'error' });
    expect(found({ kind: 'duration' })).toEqual({ ...common, sort: 'duration_ms' });
    expect(found({ kind: 'cost' })).toEqual({ ...common, sort: 'cost_usd' });
  });

  it('searches no text for a kind that is the stem of a message', () => {
    const filter = tracesOfChange(change({ kind: 'new_error', error: 'Error: no … left' }), PERIOD);
    expect(filter).not.toHaveProperty('text');
  });
});
