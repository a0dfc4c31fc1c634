import { readFileSync } from 'node:fs';
import { usageOf } from '@dacapo/evaluation';
import type { UsageRecord } from '@dacapo/protocol';
import { calcPrice, type ModelPrice, type Usage as PricedUsage } from '@pydantic/genai-prices';
import type { OwnPrices } from './own-prices.js';
import { isSimplePrice, simpleCost } from './simple-cost.js';

/** What a request to a model cost. */
export interface SpanCost {
  /** In US dollars. */
  usd: number;
  /** Where the prices are from: `genai-prices@0.1.8`, `own@` and the version of the own prices, or `reported` by who recorded it. */
  priceVersion: string;
}

/** Longer names are no models. */
const MODEL_LENGTH = 200;

/** Models whose price is remembered: finding one takes longer than the arithmetic. */
const REMEMBERED = 2_000;

/** A price that is the same at all times, and only for tokens that are told apart; `calcPrice` knows the others. */
type Found = { readonly simple: ModelPrice } | 'involved' | 'unknown';

/**
 * What models cost, by the table that comes with the package `@pydantic/genai-prices`, and before that by own prices. Nothing is
 * fetched.
 */
export class PriceList {
  private readonly found = new Map<string, Found>();
  private readonly tableVersion: string;

  constructor(
    private readonly own?: OwnPrices,
    tableVersion = versionOfTable(),
  ) {
    this.tableVersion = `genai-prices@${tableVersion}`;
  }

  /** What answers of {@link compute} rest on. */
  get version(): string {
    return this.own === undefined ? this.tableVersion : `${this.own.version}, ${this.tableVersion}`;
  }

  /** What was recorded with the usage, else what is computed. `undefined`: it is not known, which is not 0. */
  costOf(usage: UsageRecord, atUs: number): SpanCost | undefined {
    const { costUsd } = usageOf(usage);
    return costUsd === undefined ? this.compute(usage, atUs) : { usd: costUsd, priceVersion: 'reported' };
  }

  /**
   * @param atUs when the request was made: prices change, and some depend on the time of day
   * @returns `undefined` when the model has no price, or its tokens were not told
   */
  compute(usage: UsageRecord, atUs: number): SpanCost | undefined {
    const { model, provider } = usage;
    if (typeof model !== 'string' || model === '' || model.length > MODEL_LENGTH) return undefined;
    if (provider !== undefined && provider.length > MODEL_LENGTH) return undefined;
    const tokens = tokensOf(usage);
    if (tokens === undefined) return undefined;
    const ownPrice = this.own?.find(model, provider);
    if (this.own !== undefined && ownPrice !== undefined) {
      return costAt(simpleCost(ownPrice, tokens), this.own.version);
    }
    const found = this.find(model, provider);
    if (found === 'unknown') return undefined;
    const usd =
      found === 'involved' ? involvedCost(tokens, model, provider, atUs) : simpleCost(found.simple, tokens);
    return costAt(usd, this.tableVersion);
  }

  private find(model: string, provider: string | undefined): Found {
    const name = `${provider ?? ''}\n${model}`;
    let found = this.found.get(name);
    if (found === undefined) {
      if (this.found.size >= REMEMBERED) this.found.clear();
      this.found.set(name, (found = lookUp(model, provider)));
    }
    return found;
  }
}

function costAt(usd: number | undefined, priceVersion: string): SpanCost | undefined {
  return usd === undefined ? undefined : { usd, priceVersion };
}

function lookUp(model: string, provider: string | undefined): Found {
  const prices = resultOf(() => calcPrice({ input_tokens: 0 }, model, optionsOf(provider)))?.model.prices;
  if (prices === undefined) return 'unknown';
  if (Array.isArray(prices)) return 'involved';
  if (Object.keys(prices).length === 0) return 'unknown';
  return isSimplePrice(prices) ? { simple: prices } : 'involved';
}

function involvedCost(
  tokens: PricedUsage,
  model: string,
  provider: string | undefined,
  atUs: number,
): number | undefined {
  const options = { ...optionsOf(provider), timestamp: new Date(atUs / 1000) };
  return resultOf(() => calcPrice(tokens, model, options))?.total_price;
}

function optionsOf(provider: string | undefined): { providerId?: string } {
  return provider === undefined ? {} : { providerId: provider };
}

/** It throws at usage that cannot be, such as more tokens from a cache than went in. */
function resultOf<T>(calculate: () => T | null): T | undefined {
  try {
    return calculate() ?? undefined;
  } catch {
    return undefined;
  }
}

/** As the table names them. Without input tokens there is nothing to go by; an embedding has no output. */
function tokensOf(usage: UsageRecord): PricedUsage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usageOf(usage);
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

/** The table is pinned: the version that this package asks for is the one that is there. */
function versionOfTable(): string {
  const text = readFileSync(require.resolve('@dacapo/collector/package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return dependencies['@pydantic/genai-prices'] ?? 'unknown';
}
