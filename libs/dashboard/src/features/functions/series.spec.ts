import type { MetricsAnswer, MetricsItem } from '@dacapo/protocol';
import { axisEnd, buildSeries } from './series.js';

const item = (at: string, key: string, calls: number): MetricsItem => ({
  trace_function_key: key,
  at,
  calls,
  errors: 0,
  model_calls: 0,
  input_tokens: 0,
  output_tokens: 0,
});

const answer: MetricsAnswer = {
  since: '2026-03-04T12:00:00.000000Z',
  until: '2026-03-04T16:00:00.000000Z',
  relative_error: 0.01,
  waiting_batches: 0,
  items: [
    item('2026-03-04T13:00:00.000000Z', 'a', 3),
    item('2026-03-04T13:00:00.000000Z', 'b', 5),
    item('2026-03-04T15:00:00.000000Z', 'a', 7),
  ],
};

describe('a series of hours', () => {
  it('has every hour, including hours without a call', () => {
    const points = buildSeries(answer, 'hour', 'a');
    expect(points.map(({ item: of }) => of?.calls)).toEqual([undefined, 3, undefined, 7]);
    expect(points[0]?.at).toBe('2026-03-04T12:00:00.000Z');
  });

  it('is empty for a key without calls', () => {
    expect(buildSeries(answer, 'hour', 'c').every(({ item: of }) => of === undefined)).toBe(true);
  });
});

describe('an axis', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [24, 25],
    [26, 50],
    [99, 100],
    [0.0031, 0.005],
    [0.3, 0.5],
    [1_000, 1_000],
  ])('for %p ends at %p', (most, end) => {
    expect(axisEnd(most)).toBeCloseTo(end, 10);
  });
});
