import { formatNumber } from '@dacapo/evaluation';
import type { ScoreValue } from '@dacapo/protocol';

/** `0.83`, `true`, `helpful`; a score that does not apply says so. */
export function formatScore(value: ScoreValue): string {
  if (value === null) return 'does not apply';
  return typeof value === 'number' ? formatNumber(value) : String(value);
}
