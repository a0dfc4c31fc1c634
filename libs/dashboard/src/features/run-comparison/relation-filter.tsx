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
  /** A relation; empty when all are shown. */
  shown: string;
  onChange: (shown: string) => void;
}

/** What one looks for: shown when there are none, too. */
const LOOKED_FOR: readonly PairRelation[] = ['improved', 'regressed'];
/** In colour: also what says nothing of which run is better, so that nobody takes it for none. */
const COLOURED: readonly PairRelation[] = [...LOOKED_FOR, 'unknown', 'only_here', 'only_there'];

/** How many calls stand how; each figure shows its calls when pressed. */
export function RelationFilter({ totals, shown, onChange }: RelationFilterProps) {
  const all = PAIR_RELATIONS.reduce((sum, relation) => sum + totals[relation], 0);
  const figures = PAIR_RELATIONS.map((value) => {
    const isLookedFor = LOOKED_FOR.includes(value);
    const { label, tone } = RELATIONS[value];
    return {
      value,
      label,
      count: totals[value],
      tone: COLOURED.includes(value) ? tone : ('neutral' as const),
      isLookedFor,
    };
  }).filter(({ value, count, isLookedFor }) => count > 0 || value === shown || isLookedFor);
  return (
    <FigureFilter
      label="Filter by comparison"
      figures={[{ value: '', label: 'all calls', count: all, tone: 'neutral' }, ...figures]}
      shown={shown}
      onChange={onChange}
    />
  );
}
