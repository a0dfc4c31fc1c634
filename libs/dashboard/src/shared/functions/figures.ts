import type { MetricsItem } from '@dacapo/protocol';

/** In US dollars, with the model calls below. `undefined` without a price. */
export function costPerCall({ cost_usd: cost, calls }: MetricsItem): number | undefined {
  return cost === undefined || calls === 0 ? undefined : cost / calls;
}

/** The usage of the model calls that are calls of the key themselves. */
export function ownUsage(item: MetricsItem) {
  const { own_model_calls: calls, own_cost_usd: cost, own_unpriced_calls: unpriced } = item;
  if (calls === undefined) return undefined;
  return {
    ...(cost !== undefined && { cost_usd: cost }),
    ...(unpriced !== undefined && { unpriced_calls: unpriced }),
  };
}

/** `+24 %`, `−8 %`, `× 3.1`. Empty below 1 %, and where a figure is missing or the baseline is 0. */
export function formatChange(current: number | undefined, baseline: number | undefined): string {
  if (current === undefined || baseline === undefined || baseline === 0) return '';
  const ratio = current / baseline;
  if (ratio >= 2) return formatRatio(ratio);
  const rounded = Math.round((ratio - 1) * 100);
  if (rounded === 0) return '';
  return `${rounded > 0 ? '+' : '−'}${Math.abs(rounded)} %`;
}

/** `× 3.1`, `× 12` */
export function formatRatio(ratio: number): string {
  return `× ${ratio < 9.95 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString('en-US')}`;
}

/** `0.3 %`, `12 %` */
export function formatShare(share: number): string {
  if (share === 0) return '0 %';
  const value = share * 100;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}
