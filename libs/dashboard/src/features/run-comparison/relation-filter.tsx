import { PAIR_RELATIONS, type PairRelation, type RunComparison } from '@dacapo/protocol';
import type { BadgeTone } from '../../shared/ui/badge.js';
import { FigureFilter } from '../../shared/ui/figure-filter.js';

export const RELATIONS: Record<PairRelation, { label: string; tone: BadgeTone }> = {
  improved: { label: 'improved', tone: 'ok' },
  regressed: { label: 'regressed', tone: 'error' },
  same_outcome: { label: 'same outcome', tone: 'neutral' },
  judged_otherwise: { label: 'same outcome, different verdict', tone: 'neutral' },
  other_outcome: { label: 'different outcome', tone: 'warning' },
  unknown: { label: 'unknown', tone: 'warning' },
  only_here: { label: 'only in this run', tone: 'warning' },
  only_there: { label: 'only in the other run', tone: 'warning' },
};

interface RelationFilterProps {
  totals: RunComparison['totals'];
  /** The selected relation, or empty for all. */
  shown: string;
  onChange: (shown: string) => void;
}

/** Shown even when the count is 0. */
const ALWAYS_SHOWN: readonly PairRelation[] = ['improved', 'regressed'];
/** Relations without a winner are coloured too, so that they are not overlooked. */
const COLOURED: readonly PairRelation[] = [...ALWAYS_SHOWN, 'unknown', 'only_here', 'only_there'];

/** The number of calls per relation. Each figure filters by its relation. */
export function RelationFilter({ totals, shown, onChange }: RelationFilterProps) {
  const all = PAIR_RELATIONS.reduce((sum, relation) => sum + totals[relation], 0);
  const figures = PAIR_RELATIONS.map((value) => {
    const isAlwaysShown = ALWAYS_SHOWN.includes(value);
    const { label, tone } = RELATIONS[value];
    return {
      value,
      label,
      count: totals[value],
      tone: COLOURED.includes(value) ? tone : ('neutral' as const),
      isAlwaysShown,
    };
  }).filter(({ value, count, isAlwaysShown }) => count > 0 || value === shown || isAlwaysShown);
  return (
    <FigureFilter
      label="Filter by comparison"
      figures={[{ value: '', label: 'all calls', count: all, tone: 'neutral' }, ...figures]}
      shown={shown}
      onChange={onChange}
    />
  );
}
