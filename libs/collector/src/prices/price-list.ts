import { readFileSync } from 'node:fs';
import { readUsage } from '@dacapo/evaluation';
import type { UsageRecord } from '@dacapo/protocol';
import { calcPrice, type ModelPrice, type Usage as PricedUsage } from '@pydantic/genai-prices';
import type { OwnPrice, OwnPrices } from './own-prices.js';
import { listPriceNames, normalizeProvider, type PriceName } from './price-names.js';
import { findTierShare } from './service-tier.js';
import { isSimplePrice, simpleCost } from './simple-cost.js';

export interface SpanCost {
  /** In US dollars. */
  usd: number;
  /** The source of the price: `genai-prices@0.1.8`, `own@` and the version of the own prices, or `reported` with the usage. */
  priceVersion: string;
}

/** Longer names are neither models nor providers. */
const MAX_NAME_LENGTH = 200;

/** Prices are cached because finding one takes longer than the arithmetic. */
const MAX_CACHED_PRICES = 2_000;

interface TablePrice {
  readonly name: PriceName;
  /** A price that {@link simpleCost} computes; `calcPrice` computes the others. */
  readonly simple: ModelPrice | undefined;
}

/** Prices model calls by own prices and by the table of the package `@pydantic/genai-prices`. Fetches nothing. */
export class PriceList {
  private readonly cache = new Map<string, TablePrice | null>();
  private readonly tableVersion: string;

  constructor(
    private readonly own?: OwnPrices,
    tableVersion = readTableVersion(),
  ) {
    this.tableVersion = `genai-prices@${tableVersion}`;
  }

  /** The versions of all prices that {@link compute} uses. */
  get version(): string {
    return this.own === undefined ? this.tableVersion : `${this.own.version}, ${this.tableVersion}`;
  }

  /** The cost by own prices, else the recorded cost, else the cost by the table; `undefined` if unknown. */
  findCost(usage: UsageRecord, atUs: number): SpanCost | undefined {
    const { costUsd } = readUsage(usage);
    const reported = costUsd === undefined ? undefined : { usd: costUsd, priceVersion: 'reported' };
    const isOwn = this.findOwn(usage) !== undefined;
    return isOwn ? (this.compute(usage, atUs) ?? reported) : (reported ?? this.compute(usage, atUs));
  }

  /**
   * @param atUs the time of the request: prices change, and some depend on the time of day
   * @returns `undefined` when neither the responding nor the requested model has a price, the price of the service tier is unknown, or the
   *   usage has no tokens
   */
  compute(usage: UsageRecord, atUs: number): SpanCost | undefined {
    const tokens = readTokens(usage);
    if (tokens === undefined) return undefined;
    const own = this.findOwn(usage);
    const tier = readTier(usage);
    if (this.own !== undefined && own?.price !== undefined) {
      const provider = usage.provider === undefined ? undefined : normalizeProvider(usage.provider);
      const share = own.tier === undefined ? findTierShare(tier, provider) : 1;
      return costAt(simpleCost(own.price, tokens), share, this.own.version);
    }
    const models = own?.pricedAs === undefined ? listModels(usage) : [own.pricedAs];
    for (const model of models) {
      const price = this.find(model, usage.provider);
      if (price === undefined) continue;
      const usd =
        price.simple === undefined ? tableCost(tokens, price, atUs) : simpleCost(price.simple, tokens);
      return costAt(usd, findTierShare(tier, price.name.provider), this.tableVersion);
    }
    return undefined;
  }

  /** Tries the requested name first, because authors of own prices know that one. */
  private findOwn(usage: UsageRecord): OwnPrice | undefined {
    if (this.own === undefined) return undefined;
    for (const model of listModels(usage).reverse()) {
      const price = this.own.find(model, usage.provider, readTier(usage));
      if (price !== undefined) return price;
    }
    return undefined;
  }

  private find(model: string, provider: string | undefined): TablePrice | undefined {
    const name = `${provider ?? ''}\n${model}`;
    let price = this.cache.get(name);
    if (price === undefined) {
      if (this.cache.size >= MAX_CACHED_PRICES) this.cache.clear();
      this.cache.set(name, (price = lookUp(model, provider) ?? null));
    }
    return price ?? undefined;
  }
}

/** The responding model is billed, so it comes first. The requested name may be an alias or a deployment. */
function listModels({ response_model: responding, model }: UsageRecord): string[] {
  return [responding, model].filter(
    (name): name is string => typeof name === 'string' && name !== '' && name.length <= MAX_NAME_LENGTH,
  );
}

function readTier({ service_tier: tier }: UsageRecord): string | undefined {
  return typeof tier === 'string' ? tier.toLowerCase() : undefined;
}

function costAt(
  standardUsd: number | undefined,
  share: number | undefined,
  priceVersion: string,
): SpanCost | undefined {
  if (standardUsd === undefined || share === undefined) return undefined;
  return { usd: standardUsd * share, priceVersion };
}

function lookUp(model: string, provider: string | undefined): TablePrice | undefined {
  if (provider !== undefined && provider.length > MAX_NAME_LENGTH) return undefined;
  for (const name of listPriceNames(model, provider)) {
    const found = tryCalculate(() =>
      calcPrice({ input_tokens: 0 }, name.model, { providerId: name.provider }),
    );
    const prices = found?.model.prices;
    if (prices === undefined || Object.keys(prices).length === 0) continue;
    const isSimple = !Array.isArray(prices) && isSimplePrice(prices);
    return { name, simple: isSimple ? prices : undefined };
  }
  return undefined;
}

function tableCost(tokens: PricedUsage, { name }: TablePrice, atUs: number): number | undefined {
  const options = { providerId: name.provider, timestamp: new Date(atUs / 1000) };
  return tryCalculate(() => calcPrice(tokens, name.model, options))?.total_price;
}

/** `calcPrice` throws for impossible usage, such as more cached tokens than input tokens. */
function tryCalculate<T>(calculate: () => T | null): T | undefined {
  try {
    return calculate() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns the tokens under the table's names; `undefined` without input tokens. Embeddings have no output tokens. */
function readTokens(usage: UsageRecord): PricedUsage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } =
    readUsage(usage);
  if (inputTokens === undefined) return undefined;
  const audio = (name: string): number | undefined => {
    const tokens = usage[name];
    return typeof tokens === 'number' && tokens > 0 ? tokens : undefined;
  };
  const [inputAudio, outputAudio] = [audio('input_audio_tokens'), audio('output_audio_tokens')];
  return {
    input_tokens: inputTokens,
    ...(outputTokens !== undefined && { output_tokens: outputTokens }),
    ...(cachedInputTokens !== undefined && { cache_read_tokens: cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { output_reasoning_tokens: reasoningTokens }),
    ...(inputAudio !== undefined && { input_audio_tokens: inputAudio }),
    ...(outputAudio !== undefined && { output_audio_tokens: outputAudio }),
  };
}

/** This package pins the version, so its manifest has the installed one. */
function readTableVersion(): string {
  const text = readFileSync(require.resolve('@dacapo/collector/package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return dependencies['@pydantic/genai-prices'] ?? 'unknown';
}
