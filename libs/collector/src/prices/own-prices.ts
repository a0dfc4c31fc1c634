import { readFileSync } from 'node:fs';
import { Fields, ProtocolError } from '@dacapo/protocol';
import type { ModelPrice } from '@pydantic/genai-prices';
import { InvalidOptionError } from '../errors.js';
import { sha256 } from '../sha256.js';

/** In US dollars per million tokens. */
const PRICES = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok'] as const;

const CURE =
  'Write {"prices":[{"model":"my-model","input_mtok":2.5,"output_mtok":10}]}, in dollars per million tokens. See docs/usage.md.';

export interface OwnPrice {
  /** In lower case, without a `*` at its end. */
  model: string;
  /** Whether the price is for all names that begin with {@link model}. */
  isPrefix: boolean;
  provider: string | undefined;
  /** Whether the price is for one service tier, such as `batch` or `priority`. `undefined`: the standard price. */
  tier: string | undefined;
  /** `undefined` with {@link pricedAs}. */
  price: ModelPrice | undefined;
  /** The model that a deployment runs. Its price counts. */
  pricedAs: string | undefined;
}

/** Prices from a file. The first match counts, before the price table. */
export class OwnPrices {
  private constructor(
    readonly version: string,
    private readonly prices: readonly OwnPrice[],
  ) {}

  /** @throws InvalidOptionError when the file cannot be read, or is invalid */
  static fromFile(path: string): OwnPrices {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      throw new InvalidOptionError('pricesFile', `cannot be read: ${path} (${code})`, CURE);
    }
    try {
      return OwnPrices.parse(text);
    } catch (error) {
      if (!(error instanceof ProtocolError) && !(error instanceof SyntaxError)) throw error;
      throw new InvalidOptionError('pricesFile', `is invalid: ${path}: ${error.message}`, CURE);
    }
  }

  /** @throws ProtocolError, SyntaxError */
  static parse(text: string): OwnPrices {
    const file = Fields.of('', JSON.parse(text));
    refuseUnknown(file, ['version', 'prices']);
    const hash = sha256(text).slice(0, 8);
    const version = file.has('version') ? file.text('version', 100) : hash;
    const prices = file
      .objects('prices')
      .map((entry, index) => readPrice(Fields.of(`prices[${index}]`, entry)));
    return new OwnPrices(`own@${version}`, prices);
  }

  /** @param provider as recorded; a price of `openai` also matches `openai.chat` */
  find(model: string, provider: string | undefined, tier?: string): OwnPrice | undefined {
    const name = model.toLowerCase();
    const from = provider?.toLowerCase();
    const matches = (one: OwnPrice): boolean =>
      (one.isPrefix ? name.startsWith(one.model) : name === one.model) &&
      (one.tier === undefined || one.tier === tier) &&
      (one.provider === undefined || from === one.provider || from?.startsWith(`${one.provider}.`) === true);
    return this.prices.find(matches);
  }
}

function readPrice(entry: Fields): OwnPrice {
  const isAlias = entry.has('priced_as');
  refuseUnknown(entry, ['model', 'provider', 'service_tier', ...(isAlias ? ['priced_as'] : PRICES)]);
  const model = entry.label('model').toLowerCase();
  if (!isAlias) entry.amount('input_mtok');
  return {
    model: model.replace(/\*$/, ''),
    isPrefix: model.endsWith('*'),
    provider: entry.has('provider') ? entry.label('provider').toLowerCase() : undefined,
    tier: entry.has('service_tier') ? entry.label('service_tier').toLowerCase() : undefined,
    price: isAlias ? undefined : readAmounts(entry),
    pricedAs: isAlias ? entry.label('priced_as') : undefined,
  };
}

function readAmounts(entry: Fields): ModelPrice {
  return Object.fromEntries(
    PRICES.filter((name) => entry.has(name)).map((name) => [name, entry.amount(name)]),
  );
}

/** A price under a misspelt name would be ignored. */
function refuseUnknown(fields: Fields, known: readonly string[]): void {
  const other = fields.names().find((name) => !known.includes(name));
  if (other !== undefined) fields.fail(other, `is unknown. Known fields: ${known.join(', ')}`);
}
