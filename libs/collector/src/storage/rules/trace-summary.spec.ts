import { findRoot, worstStatus } from './trace-summary.js';

describe('worstStatus', () => {
  it.each([
    [['ok', 'ok'], 'ok'],
    [['ok', 'unfinished'], 'unfinished'],
    [['unfinished', 'cancelled', 'ok'], 'cancelled'],
    [['cancelled', 'error'], 'error'],
    [[], 'unfinished'],
  ] as const)('of %j is %s', (statuses, worst) => {
    expect(worstStatus(statuses.map((status) => ({ status })))).toBe(worst);
  });
});

describe('findRoot', () => {
  const root = (...spans: [isChild: boolean, started: number, id: string][]) =>
    findRoot(spans, (span) => span)?.[2];

  it('is the first span without a parent', () => {
    expect(root([true, 1, 'child'], [false, 3, 'later'], [false, 2, 'first'])).toBe('first');
  });

  it('is the first of all when each span has a parent', () => {
    expect(root([true, 2, 'later'], [true, 1, 'first'])).toBe('first');
  });

  it('is the one with the lower id among spans of one moment', () => {
    expect(root([false, 1, 'b'], [false, 1, 'a'])).toBe('a');
  });

  it('is undefined without spans', () => {
    expect(root()).toBeUndefined();
  });
});
