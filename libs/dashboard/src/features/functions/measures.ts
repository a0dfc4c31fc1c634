import type { MetricsItem } from '@dacapo/protocol';
import { formatCost } from '../../shared/format/format-cost.js';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';

/** A figure in the chart: a bar, and a highlighted part of it. */
export interface Measure {
  id: string;
  label: string;
  whole: string;
  part?: string;
  tone: 'accent' | 'error';
  /** `undefined` when unknown. */
  readWhole: (item: MetricsItem) => number | undefined;
  readPart?: (item: MetricsItem) => number | undefined;
  format: (value: number) => string;
  /** Text when `readWhole` returns `undefined`. */
  absent: (item: MetricsItem) => string;
}

export const MEASURES: readonly [Measure, ...Measure[]] = [
  {
    id: 'calls',
    label: 'Calls',
    whole: 'calls',
    part: 'failed',
    tone: 'error',
    readWhole: ({ calls }) => calls,
    readPart: ({ errors }) => errors,
    format: formatCount,
    absent: () => 'no calls',
  },
  {
    id: 'duration',
    label: 'Duration',
    whole: '95th percentile',
    part: 'median',
    tone: 'accent',
    readWhole: ({ p95_ms: p95 }) => p95,
    readPart: ({ p50_ms: p50 }) => p50,
    format: formatDuration,
    absent: () => 'no finished calls',
  },
  {
    id: 'tokens',
    label: 'Tokens',
    whole: 'tokens',
    part: 'input',
    tone: 'accent',
    readWhole: totalTokens,
    readPart: (item) => (item.model_calls === 0 ? undefined : item.input_tokens),
    format: formatCount,
    absent: () => 'no model calls',
  },
  {
    id: 'cost',
    label: 'Cost',
    whole: 'known cost',
    tone: 'accent',
    readWhole: ({ cost_usd: cost }) => cost,
    format: formatCost,
    absent: ({ model_calls: calls }) => (calls === 0 ? 'no model calls' : 'unknown'),
  },
];

/** Input plus output tokens, or `undefined` without a model call. */
export function totalTokens({ model_calls: calls, input_tokens: input, output_tokens: output }: MetricsItem) {
  return calls === 0 ? undefined : input + output;
}
