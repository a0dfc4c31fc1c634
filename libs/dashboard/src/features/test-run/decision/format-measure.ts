import { formatNumber } from '@dacapo/evaluation';
import { formatCost } from '../../../shared/format/format-cost.js';
import { formatCount } from '../../../shared/format/format-count.js';
import { formatDuration } from '../../../shared/format/format-duration.js';
import type { MeasureName } from './read-summary.js';

/** Of this size, a mean of counts shows no decimals. */
const WHOLE = 100;

/** `1.24 s`, `$0.012`, `12,345` or `4.25`: a duration, a cost, or a number of tokens, which may be a mean. Not negative. */
export function formatMeasure(name: MeasureName, value: number): string {
  if (name === 'durations') return formatDuration(value);
  if (name === 'costUsd') return formatCost(value);
  return value < WHOLE ? formatNumber(value) : formatCount(Math.round(value));
}

/** With its sign, unless it is 0. */
export function formatSigned(value: number, format: (value: number) => string): string {
  if (value === 0) return format(0);
  return `${value < 0 ? '−' : '+'}${format(Math.abs(value))}`;
}
