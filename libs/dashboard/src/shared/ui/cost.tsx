import { formatCost } from '../format/format-cost.js';
import { formatCountOf } from '../format/format-count.js';

interface CostProps {
  /** Of model calls; absent: there is none, or none that used something. */
  usage: { cost_usd?: number | undefined; unpriced_calls?: number } | undefined;
  /** What the prices are from, such as `genai-prices@0.1.8`. */
  priceVersions?: readonly string[];
}

/** What model calls cost. A cost that is not known is never 0, and one that is known in part is a lower bound. */
export function Cost({ usage, priceVersions = [] }: CostProps) {
  if (usage === undefined) return <span className="muted">–</span>;
  const { cost_usd: cost, unpriced_calls: unpriced = 0 } = usage;
  const without = `No price is known${unpriced > 0 ? ` for ${formatCountOf(unpriced, 'model call')}` : ''}`;
  if (cost === undefined) {
    return (
      <span className="muted" title={without}>
        unknown
      </span>
    );
  }
  const notes = [
    ...(priceVersions.length > 0 ? [`Prices: ${priceVersions.join(', ')}`] : []),
    ...(unpriced > 0 ? [without] : []),
  ];
  return (
    <span className="nowrap" title={notes.length > 0 ? notes.join('. ') : undefined}>
      {unpriced > 0 && <span className="visually-hidden">at least </span>}
      {unpriced > 0 && <span aria-hidden="true">≥ </span>}
      {formatCost(cost)}
    </span>
  );
}
