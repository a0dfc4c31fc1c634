const STANDARD = new Set(['auto', 'default', 'on_demand', 'standard']);

/**
 * Shares of the standard price, by provider as the price table names it. From the providers' price pages in November 2026: batches cost half
 * everywhere, OpenAI's flex processing costs as much as a batch, and Groq's as much as on demand.
 */
const SHARES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  anthropic: { batch: 0.5 },
  azure: { batch: 0.5 },
  google: { batch: 0.5 },
  groq: { batch: 0.5, flex: 1 },
  openai: { batch: 0.5, flex: 0.5 },
};

/**
 * @param tier as the provider names it; `undefined` is the standard tier
 * @param provider as the price table names it
 * @returns the share of the standard price that a request costs; `undefined` for a tier whose price is unknown
 */
export function findTierShare(tier: string | undefined, provider: string | undefined): number | undefined {
  if (tier === undefined || STANDARD.has(tier)) return 1;
  const shares = provider !== undefined && Object.hasOwn(SHARES, provider) ? SHARES[provider] : undefined;
  return shares !== undefined && Object.hasOwn(shares, tier) ? shares[tier] : undefined;
}
