import type { ModelPrice, Usage } from '@pydantic/genai-prices';

/** Prices of tokens that are told apart here. What is searched is no part of a usage. */
const SIMPLE = new Set([
  'input_mtok',
  'cache_read_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
  'output_mtok',
  'web_searches_kcount',
  'storage_searches_kcount',
]);

export function isSimplePrice(prices: ModelPrice): boolean {
  return Object.keys(prices).every((name) => SIMPLE.has(name));
}

/**
 * What `calcPrice` says of a simple price, without the tables that it walks: a fiftieth of the time, for each span that comes in.
 * Tokens of the cache are part of the input, and are taken out of it where they have a price of their own.
 *
 * @returns dollars; `undefined` when more tokens came from the cache than went in, or the output has a price and was not told
 */
export function simpleCost(prices: ModelPrice, usage: Usage): number | undefined {
  const { input_tokens: input = 0, output_tokens: output } = usage;
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0 } = usage;
  const { input_mtok, cache_read_mtok, cache_write_mtok, output_mtok } = prices;
  if (output === undefined && output_mtok !== undefined && output_mtok !== 0) return undefined;
  const readApart = cache_read_mtok === undefined ? 0 : read;
  const writtenApart = cache_write_mtok === undefined ? 0 : written;
  const rest = input - readApart - writtenApart;
  if (rest < 0) return undefined;
  const dollars = (price: ModelPrice[string], tokens: number): number =>
    price === undefined ? 0 : (rateAt(price, input) * tokens) / 1e6;
  return (
    dollars(input_mtok, rest) +
    dollars(cache_read_mtok, readApart) +
    dollars(cache_write_mtok, writtenApart) +
    dollars(output_mtok, output ?? 0)
  );
}

/** Of a price in tiers, the whole request has the one that its input reaches. */
function rateAt(price: NonNullable<ModelPrice[string]>, input: number): number {
  if (typeof price === 'number') return price;
  const reached = price.tiers.filter(({ start }) => input > start).sort((a, b) => b.start - a.start)[0];
  return reached?.price ?? price.base;
}
