import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fields, ProtocolError } from '@dacapo/protocol';
import type { ModelPrice } from '@pydantic/genai-prices';
import { InvalidOptionError } from '../errors.js';

/** Dollars for a million tokens. */
const PRICES = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok'] as const;

const CURE =
  'Write {"prices":[{"model":"my-model","input_mtok":2.5,"output_mtok":10}]}: dollars for a million tokens, docs/usage.md has more.';

export interface OwnPrice {
  /** In lower case; of one that ends in `*`, what the name begins with. */
  model: string;
  isBeginning: boolean;
  provider: string | undefined;
  /** Absent where {@link pricedAs} is given. */
  price: ModelPrice | undefined;
  /** The model that a deployment runs: it costs what that one does. */
  pricedAs: string | undefined;
}

/** Prices of a file: they come before those of the table, the first that fits. */
export class OwnPrices {
  private constructor(
    readonly version: string,
    private readonly prices: readonly OwnPrice[],
  ) {}

  /** @throws InvalidOptionError when the file cannot be read, or is not of this form */
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
      throw new InvalidOptionError('pricesFile', `is not as it must be: ${path}: ${error.message}`, CURE);
    }
  }

  /** @throws ProtocolError, SyntaxError */
  static parse(text: string): OwnPrices {
    const file = Fields.of('', JSON.parse(text));
    refuseOthers(file, ['version', 'prices']);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
    const version = file.has('version') ? file.text('version', 100) : hash;
    const prices = file
      .objects('prices')
      .map((entry, index) => readPrice(Fields.of(`prices[${index}]`, entry)));
    return new OwnPrices(`own@${version}`, prices);
  }

  /** @param provider as it was recorded; a price of `openai` matches `openai.chat` too */
  find(model: string, provider: string | undefined): OwnPrice | undefined {
    const name = model.toLowerCase();
    const from = provider?.toLowerCase();
    const fits = (one: OwnPrice): boolean =>
      (one.isBeginning ? name.startsWith(one.model) : name === one.model) &&
      (one.provider === undefined || from === one.provider || from?.startsWith(`${one.provider}.`) === true);
    return this.prices.find(fits);
  }
}

function readPrice(entry: Fields): OwnPrice {
  const isAlias = entry.has('priced_as');
  refuseOthers(entry, ['model', 'provider', ...(isAlias ? ['priced_as'] : PRICES)]);
  const model = entry.label('model').toLowerCase();
  if (!isAlias) entry.amount('input_mtok');
  return {
    model: model.replace(/\*$/, ''),
    isBeginning: model.endsWith('*'),
    provider: entry.has('provider') ? entry.label('provider').toLowerCase() : undefined,
    price: isAlias ? undefined : readAmounts(entry),
    pricedAs: isAlias ? entry.label('priced_as') : undefined,
  };
}

function readAmounts(entry: Fields): ModelPrice {
  return Object.fromEntries(
    PRICES.filter((name) => entry.has(name)).map((name) => [name, entry.amount(name)]),
  );
}

/** A price under a misspelt name would be none. */
function refuseOthers(fields: Fields, known: readonly string[]): void {
  const other = fields.names().find((name) => !known.includes(name));
  if (other !== undefined) fields.fail(other, `is not known: there are ${known.join(', ')}`);
}
