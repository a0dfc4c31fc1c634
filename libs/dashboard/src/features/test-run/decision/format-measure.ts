import { formatNumber } from '@dacapo/evaluation';
import type { MeasureName } from './read-summary.js';

/** The same digits as in CLI reports. */
export function formatMeasure(name: MeasureName, value: number): string {
  if (name === 'durations') return `${formatNumber(value)} ms`;
  return name === 'costUsd' ? `$${formatNumber(value)}` : formatNumber(value);
}

/** With its sign, unless it is 0. */
export function formatSigned(value: number, format: (value: number) => string): string {
  if (value === 0) return format(0);
  return `${value < 0 ? '−' : '+'}${format(Math.abs(value))}`;
}
