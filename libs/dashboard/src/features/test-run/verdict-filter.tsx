import { type TestRunTotals, type Verdict, VERDICTS } from '@dacapo/protocol';
import { formatCount } from '../../shared/format/format-count.js';
import type { BadgeTone } from '../../shared/ui/badge.js';
import { type Figure, FigureFilter } from '../../shared/ui/figure-filter.js';

export const VERDICT_TONES: Record<Verdict, BadgeTone> = {
  same: 'neutral',
  changed: 'warning',
  unknown: 'warning',
  error: 'error',
};

/** Hidden when the count is 0. */
const RARE = ['unknown', 'new_error', 'diverged', 'fixed', 'failing_as_before', 'accepted'];

interface VerdictFilterProps {
  totals: TestRunTotals;
  /** The selected verdict or flag, or empty for all. */
  shown: string;
  onChange: (shown: string) => void;
}

/** The item counts of a test run. Each filters the items. */
export function VerdictFilter({ totals, shown, onChange }: VerdictFilterProps) {
  const figures: Figure[] = [
    { value: '', label: 'all calls', count: totals.items, tone: 'neutral' },
    ...VERDICTS.map((value) => ({
      value,
      label: value === 'error' ? 'errors' : value,
      count: totals[value],
      tone: VERDICT_TONES[value],
    })),
    { value: 'new_error', label: 'new errors', count: totals.new_errors, tone: 'error' },
    { value: 'diverged', label: 'diverged', count: totals.diverged, tone: 'warning' },
    { value: 'fixed', label: 'fixed', count: totals.fixed, tone: 'neutral' },
    {
      value: 'failing_as_before',
      label: 'failing as before',
      count: totals.failing_as_before,
      tone: 'neutral',
    },
    { value: 'accepted', label: 'accepted', count: totals.accepted, tone: 'neutral' },
  ];
  return (
    <FigureFilter
      label="Filter by verdict"
      figures={figures.filter(({ value, count }) => count > 0 || value === shown || !RARE.includes(value))}
      shown={shown}
      onChange={onChange}
    >
      {totals.flaky > 0 && <p className="muted">{formatCount(totals.flaky)} flaky</p>}
    </FigureFilter>
  );
}
