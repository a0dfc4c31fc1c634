import type { Difference, Interval } from '../statistics/interval.js';

export function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Three significant digits, whole numbers in full. */
export function formatNumber(value: number): string {
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** `0.08 (95 % interval 0.04 to 0.12, p = 0.001)`. Signs are inverted when a drop is given as a positive size. */
export function formatDifference(size: number, delta: Difference, confidence: number, unit = ''): string {
  const { mean, interval } = delta;
  const sign = size === mean ? 1 : -1;
  const ends = interval && [sign * interval.low, sign * interval.high].sort((a, b) => a - b);
  const range =
    ends && `${formatNumber(confidence * 100)} % interval ${ends.map(formatNumber).join(' to ')}, `;
  return `${formatNumber(size)}${unit} (${range ?? ''}${formatEvidence(delta)})`;
}

/** `p = 0.031`, `p = 0.031 against 0.02` with an allowed change, or `exact` if nothing random ran. */
export function formatEvidence({ p, allowed = 0, exact }: Difference): string {
  if (exact === true) return 'exact';
  return `${formatP(p)}${allowed === 0 ? '' : ` against ${formatNumber(allowed)}`}`;
}

export function formatInterval({ low, high }: Interval): string {
  return `${formatNumber(low)} to ${formatNumber(high)}`;
}

export function formatP(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`;
}
