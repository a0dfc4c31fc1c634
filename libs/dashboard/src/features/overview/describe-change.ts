import type { Change, ChangesAnswer } from '@dacapo/protocol';
import { formatCost } from '../../shared/format/format-cost.js';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { formatRatio, formatShare } from '../../shared/functions/figures.js';

/** What changed, and the figures and counts that show it. */
export function describeChange(change: Change): { what: string; evidence: string } {
  const { kind, error = '', current, baseline, ratio, calls, baseline_calls: before } = change;
  const counts = `calls ${formatCount(before)} → ${formatCount(calls)}`;
  const times = ratio === undefined ? '' : ` ${formatRatio(ratio)}`;
  switch (kind) {
    case 'new_error':
      return {
        what: `${formatCount(current)} × ${error}, new`,
        evidence: `${formatQuantity(current, 'trace')}, ${counts}`,
      };
    case 'failures':
      return {
        what: `Failures${times}`,
        evidence: `${formatShare(baseline)} → ${formatShare(current)} failed, ${counts}`,
      };
    case 'duration':
      return {
        what: `95th percentile${times}`,
        evidence: `${formatDuration(baseline)} → ${formatDuration(current)}, ${counts}`,
      };
    case 'cost':
      return {
        what: `Cost per call${times}`,
        evidence: `${formatCost(baseline)} → ${formatCost(current)}, ${counts}`,
      };
  }
}

/** The filter of the trace list that shows the calls behind a change. */
export function tracesOfChange(
  { kind, trace_function_key, error = '' }: Change,
  { since, until, release }: ChangesAnswer['current'],
): Record<string, string> {
  const isFailure = kind === 'new_error' || kind === 'failures';
  return {
    trace_function_key,
    since,
    until,
    ...(release !== undefined && { release }),
    ...(isFailure && { status: 'error' }),
    ...(kind === 'new_error' && /^[\w.$]+$/.test(error) && { text: error }),
    ...(kind === 'duration' && { sort: 'duration_ms' }),
    ...(kind === 'cost' && { sort: 'cost_usd' }),
  };
}
