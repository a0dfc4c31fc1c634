import type { MetricsItem } from '@dacapo/protocol';
import fc from 'fast-check';
import { choosePeriod, timesBetween, toBars } from './bars.js';

const HOUR = 3600 * 1000;
const NOW = Date.parse('2026-03-04T14:20:00Z');
const at = (text: string): number => Date.parse(`2026-03-${text}:00Z`);

describe('the period of a histogram', () => {
  it('is the last week in hours without times', () => {
    expect(choosePeriod({}, NOW)).toEqual({
      sinceMs: NOW - 7 * 24 * HOUR - 20 * 60_000,
      untilMs: at('04T15:00'),
      bucket: 'hour',
    });
  });

  it('has a day around an hour, and days for months', () => {
    const hour = choosePeriod({ sinceMs: at('02T10:00'), untilMs: at('02T11:00') }, NOW);
    expect(hour.untilMs - hour.sinceMs).toBeGreaterThanOrEqual(24 * HOUR);
    expect(hour.sinceMs).toBeLessThan(at('02T10:00'));
    expect(hour.untilMs).toBeGreaterThan(at('02T11:00'));
    expect(choosePeriod({ sinceMs: NOW - 60 * 24 * HOUR }, NOW).bucket).toBe('day');
  });

  it('has few bars, whatever the times are', () => {
    const time = fc.option(fc.integer({ min: -9e15, max: 9e15 }), { nil: undefined });
    fc.assert(
      fc.property(time, time, (sinceMs, untilMs) => {
        const times = {
          ...(sinceMs !== undefined && { sinceMs }),
          ...(untilMs !== undefined && { untilMs }),
        };
        const period = choosePeriod(times, NOW);
        const bars = toBars([], period, times);
        expect(bars.length).toBeGreaterThan(0);
        expect(bars.length).toBeLessThan(200);
      }),
    );
  });
});

describe('the bars', () => {
  const period = { sinceMs: at('04T10:00'), untilMs: at('04T14:00'), bucket: 'hour' } as const;
  const item = (hour: string, calls: number, errors = 0) =>
    ({ at: `2026-03-04T${hour}:00:00.000000Z`, calls, errors }) as MetricsItem;
  const bars = toBars([item('11', 5, 2), item('11', 1), item('13', 3)], period, { sinceMs: at('04T11:00') });

  it('add up what was called in each hour, and know which hours are listed', () => {
    expect(bars.map(({ calls, errors, isListed }) => [calls, errors, isListed])).toEqual([
      [0, 0, false],
      [6, 2, true],
      [0, 0, true],
      [3, 0, true],
    ]);
  });

  it('give the times between two of them, open at the end', () => {
    expect(timesBetween(bars, 1, 0)).toEqual({ sinceMs: at('04T10:00'), untilMs: at('04T12:00') });
    expect(timesBetween(bars, 2, 3)).toEqual({ sinceMs: at('04T12:00') });
    expect(timesBetween([], 0, 0)).toEqual({});
  });
});
