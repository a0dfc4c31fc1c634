import { formatCost } from '../format/format-cost.js';
import { formatQuantity } from '../format/format-count.js';

interface CostProps {
  /** Absent when no model call has usage. */
  usage: { cost_usd?: number | undefined; unpriced_calls?: number } | undefined;
  /** Price lists, such as `genai-prices@0.1.8`. */
  priceVersions?: readonly string[];
}

/** The cost of model calls. Without a price it is "unknown", with some prices a lower bound. */
export function Cost({ usage, priceVersions = [] }: CostProps) {
  if (usage === undefined) return <span className="muted">–</span>;
  const { cost_usd: cost, unpriced_calls: unpriced = 0 } = usage;
  const noPrice = `No price is known${unpriced > 0 ? ` for ${formatQuantity(unpriced, 'model call')}` : ''}`;
  if (cost === undefined) {
    return (
      <span className="muted" title={noPrice}>
        unknown
      </span>
    );
  }
  const notes = [
    ...(priceVersions.length > 0 ? [`Prices: ${priceVersions.join(', ')}`] : []),
    ...(unpriced > 0 ? [noPrice] : []),
  ];
  return (
    <span className="nowrap" title={notes.length > 0 ? notes.join('. ') : undefined}>
      {unpriced > 0 && <span className="visually-hidden">at least </span>}
      {unpriced > 0 && <span aria-hidden="true">≥ </span>}
      {formatCost(cost)}
    </span>
  );
}
