import type { MetricsItem } from '@dacapo/protocol';
import { formatCost } from '../../shared/format/format-cost.js';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';

/** One of the figures that are drawn by time: a bar, and the part of it that is told apart. */
export interface Measure {
  id: string;
  label: string;
  whole: string;
  part?: string;
  tone: 'accent' | 'error';
  /** `undefined`: it is not known. */
  wholeOf: (item: MetricsItem) => number | undefined;
  partOf?: (item: MetricsItem) => number | undefined;
  format: (value: number) => string;
  /** What is said of calls that do not tell it. */
  absent: (item: MetricsItem) => string;
}

export const MEASURES: readonly [Measure, ...Measure[]] = [
  {
    ...{ id: 'calls', label: 'Calls', whole: 'calls', part: 'failed', tone: 'error' },
    wholeOf: ({ calls }) => calls,
    partOf: ({ errors }) => errors,
    format: formatCount,
    absent: () => 'no calls',
  },
  {
    ...{ id: 'duration', label: 'Duration', whole: '95th percentile', part: 'median', tone: 'accent' },
    wholeOf: ({ p95_ms: p95 }) => p95,
    partOf: ({ p50_ms: p50 }) => p50,
    format: formatDuration,
    absent: () => 'no finished calls',
  },
  {
    ...{ id: 'tokens', label: 'Tokens', whole: 'tokens', part: 'input', tone: 'accent' },
    wholeOf: tokensOf,
    partOf: (item) => (item.model_calls === 0 ? undefined : item.input_tokens),
    format: formatCount,
    absent: () => 'no model calls',
  },
  {
    ...{ id: 'cost', label: 'Cost', whole: 'known cost', tone: 'accent' },
    wholeOf: ({ cost_usd: cost }) => cost,
    format: formatCost,
    absent: ({ model_calls: calls }) => (calls === 0 ? 'no model calls' : 'unknown'),
  },
];

/** Input and output; `undefined` where no model was called. */
export function tokensOf({ model_calls: calls, input_tokens: input, output_tokens: output }: MetricsItem) {
  return calls === 0 ? undefined : input + output;
}
