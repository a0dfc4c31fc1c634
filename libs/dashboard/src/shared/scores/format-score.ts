import { formatNumber } from '@dacapo/evaluation';
import type { ScoreValue } from '@dacapo/protocol';

/** `0.83`, `true`, `helpful`, or `not applicable` for `null`. */
export function formatScore(value: ScoreValue): string {
  if (value === null) return 'not applicable';
  return typeof value === 'number' ? formatNumber(value) : String(value);
}
