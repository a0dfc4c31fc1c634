import { readFileSync } from 'node:fs';
import { usageOf } from '@dacapo/evaluation';
import type { UsageRecord } from '@dacapo/protocol';
import { calcPrice, type ModelPrice, type Usage as PricedUsage } from '@pydantic/genai-prices';
import type { OwnPrice, OwnPrices } from './own-prices.js';
import { listPriceNames, type PriceName } from './price-names.js';
import { isSimplePrice, simpleCost } from './simple-cost.js';

/** What a request to a model cost. */
export interface SpanCost {
  /** In US dollars. */
  usd: number;
  /** Where the prices are from: `genai-prices@0.1.8`, `own@` and the version of the own prices, or `reported` by who recorded it. */
  priceVersion: string;
}

/** Longer names are neither models nor providers. */
const NAME_LENGTH = 200;

/** Models whose price is remembered: finding one takes longer than the arithmetic. */
const REMEMBERED = 2_000;

/** A price of the table. */
interface Found {
  readonly name: PriceName;
  /** A price that is the same at all times and for any number of tokens; `calcPrice` computes the others. */
  readonly simple: ModelPrice | undefined;
}

/**
 * What models cost, by the table that comes with the package `@pydantic/genai-prices`, and before that by own prices. Nothing is
 * fetched.
 */
export class PriceList {
  private readonly found = new Map<string, Found | null>();
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

  /** By own prices, else the cost that was recorded with the usage, else by the table. `undefined`: it is not known, which is not 0. */
  costOf(usage: UsageRecord, atUs: number): SpanCost | undefined {
    const { costUsd } = usageOf(usage);
    const reported = costUsd === undefined ? undefined : { usd: costUsd, priceVersion: 'reported' };
    const isOwn = this.findOwn(usage) !== undefined;
    return isOwn ? (this.compute(usage, atUs) ?? reported) : (reported ?? this.compute(usage, atUs));
  }

  /**
   * @param atUs when the request was made: prices change, and some depend on the time of day
   * @returns `undefined` when neither the model that answered nor the one asked for has a price, or the usage has no tokens
   */
  compute(usage: UsageRecord, atUs: number): SpanCost | undefined {
    const tokens = readTokens(usage);
    if (tokens === undefined) return undefined;
    const own = this.findOwn(usage);
    if (this.own !== undefined && own?.price !== undefined) {
      return costAt(simpleCost(own.price, tokens), this.own.version);
    }
    const models = own?.pricedAs === undefined ? listModels(usage) : [own.pricedAs];
    for (const model of models) {
      const found = this.find(model, usage.provider);
      if (found === undefined) continue;
      const usd =
        found.simple === undefined ? involvedCost(tokens, found, atUs) : simpleCost(found.simple, tokens);
      return costAt(usd, this.tableVersion);
    }
    return undefined;
  }

  /** The name that was asked for comes first: it is the one that the author of the prices knows. */
  private findOwn(usage: UsageRecord): OwnPrice | undefined {
    for (const model of listModels(usage).reverse()) {
      const price = this.own?.find(model, usage.provider);
      if (price !== undefined) return price;
    }
    return undefined;
  }

  private find(model: string, provider: string | undefined): Found | undefined {
    const name = `${provider ?? ''}\n${model}`;
    let found = this.found.get(name);
    if (found === undefined) {
      if (this.found.size >= REMEMBERED) this.found.clear();
      this.found.set(name, (found = lookUp(model, provider) ?? null));
    }
    return found ?? undefined;
  }
}

/** The model that answered is what is billed; the name that was asked for may be an alias or a deployment. */
function listModels({ response_model: answered, model }: UsageRecord): string[] {
  return [answered, model].filter(
    (name): name is string => typeof name === 'string' && name !== '' && name.length <= NAME_LENGTH,
  );
}

function costAt(usd: number | undefined, priceVersion: string): SpanCost | undefined {
  return usd === undefined ? undefined : { usd, priceVersion };
}

function lookUp(model: string, provider: string | undefined): Found | undefined {
  if (provider !== undefined && provider.length > NAME_LENGTH) return undefined;
  for (const name of listPriceNames(model, provider)) {
    const found = resultOf(() => calcPrice({ input_tokens: 0 }, name.model, { providerId: name.provider }));
    const prices = found?.model.prices;
    if (prices === undefined || Object.keys(prices).length === 0) continue;
    const isSimple = !Array.isArray(prices) && isSimplePrice(prices);
    return { name, simple: isSimple ? prices : undefined };
  }
  return undefined;
}

function involvedCost(tokens: PricedUsage, { name }: Found, atUs: number): number | undefined {
  const options = { providerId: name.provider, timestamp: new Date(atUs / 1000) };
  return resultOf(() => calcPrice(tokens, name.model, options))?.total_price;
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
function readTokens(usage: UsageRecord): PricedUsage | undefined {
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
