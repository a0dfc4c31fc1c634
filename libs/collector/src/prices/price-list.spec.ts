import type { UsageRecord } from '@dacapo/protocol';
import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { OwnPrices } from './own-prices.js';
import { PriceList } from './price-list.js';

const AT = Date.parse('2026-06-15T12:00:00Z') * 1000;
const prices = new PriceList(undefined, '1.2.3');

const usage = (model: string, provider?: string) => ({
  model,
  ...(provider !== undefined && { provider }),
  input_tokens: 1_000_000,
  output_tokens: 100_000,
});

describe('the cost of a request', () => {
  it('is reported with the version of the price', () => {
    expect(prices.findCost(usage('gpt-4o', 'openai'), AT)).toEqual({
      usd: 3.5,
      priceVersion: 'genai-prices@1.2.3',
    });
  });

  it('is the recorded cost, if there is one', () => {
    const reported = { ...usage('gpt-4o', 'openai'), cost_usd: 0.5 };
    expect(prices.findCost(reported, AT)).toEqual({ usd: 0.5, priceVersion: 'reported' });
    expect(prices.compute(reported, AT)?.usd).toBe(3.5);
    expect(prices.findCost({ cost_usd: 0 }, AT)?.usd).toBe(0);
  });

  it.each<[string, UsageRecord]>([
    ['a model without a price', usage('own-model')],
    ['a model of an unknown provider', usage('gpt-4o', 'own-proxy')],
    ['a model that the provider does not offer', usage('llama3', 'openai')],
    ['no model', { input_tokens: 1 }],
    ['a name that is too long for a model', usage('m'.repeat(100_000))],
    ['no tokens', { model: 'gpt-4o', provider: 'openai' }],
    ['output only', { model: 'gpt-4o', output_tokens: 5 }],
    ['input only, for a model with a price for output', { model: 'gpt-4o', input_tokens: 5 }],
    ['more cached tokens than input tokens', { ...usage('gpt-4o'), cached_input_tokens: 2_000_000 }],
    ['a negative number', { model: 'gpt-4o', input_tokens: -1, output_tokens: 1 }],
    ['a negative reported cost', { model: 'own-model', cost_usd: -1 }],
  ])('is unknown, not 0, for %s', (_, recorded) => {
    expect(prices.findCost(recorded, AT)).toBeUndefined();
  });

  it('subtracts cached tokens from the input, as providers bill them', () => {
    const model = 'claude-sonnet-4-20250514';
    const tokens = { input_tokens: 1000, cached_input_tokens: 600, cache_creation_input_tokens: 300 };
    const cost = prices.compute({ model, provider: 'anthropic', ...tokens, output_tokens: 10 }, AT);
    expect(cost?.usd).toBeCloseTo((100 * 3 + 600 * 0.3 + 300 * 3.75 + 10 * 15) / 1e6, 12);
  });

  it.each<[string, string, string, number | undefined]>([
    ['gpt-4o', 'openai', 'default', 3.5],
    ['gpt-4o', 'openai', 'batch', 1.75],
    ['gpt-4o', 'openai.responses', 'flex', 1.75],
    ['gpt-4o', 'openai', 'priority', undefined],
    ['gpt-4o', 'azure', 'flex', undefined],
    ['claude-sonnet-4-20250514', 'anthropic', 'standard', 4.5],
    ['claude-sonnet-4-20250514', 'anthropic', 'batch', 2.25],
    ['claude-sonnet-4-20250514', 'anthropic', 'priority', undefined],
    ['llama-3.3-70b-versatile', 'groq', 'flex', 0.669],
    ['llama-3.3-70b-versatile', 'groq', 'performance', undefined],
    ['gpt-4o', 'openai', '__proto__', undefined],
    ['gpt-4o', 'openai', 'toString', undefined],
  ])('of %s from %s follows the service tier %s', (model, provider, service_tier, usd) => {
    const found = prices.compute({ ...usage(model, provider), service_tier }, AT)?.usd;
    if (usd === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(usd, 12);
  });

  it('uses the price at the time of the request', () => {
    const at = (day: string) => prices.compute(usage('o3', 'openai'), Date.parse(day) * 1000)?.usd;
    expect(at('2025-06-01')).toBe(14);
    expect(at('2025-07-01')).toBe(2.8);
  });

  it.each([
    ['openai.chat', 'gpt-4o'],
    ['azure', 'gpt-4o'],
    ['google.generative-ai', 'gemini-2.5-pro'],
    ['aws.bedrock', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
    ['litellm', 'openai/gpt-4o'],
  ])('is found for the provider name %s, which SDKs record', (provider, model) => {
    expect(prices.compute(usage(model, provider), AT)?.usd).toBeGreaterThan(0);
  });

  it('equals that of the price package for any number of tokens', () => {
    const models = [
      ['openai', 'gpt-4o'],
      ['openai', 'gpt-5.4'],
      ['openai', 'gpt-4o-audio-preview'],
      ['openai', 'o3'],
      ['anthropic', 'claude-sonnet-4-5'],
      ['google', 'gemini-2.5-pro'],
      ['google', 'gemini-2.5-flash'],
      ['deepseek', 'deepseek-chat'],
      ['openai', 'text-embedding-3-small'],
      ['perplexity', 'sonar-pro'],
      ['x-ai', 'grok-4'],
    ] as const;
    const amount = fc.oneof(fc.nat(1000), fc.nat(2_000_000));
    fc.assert(
      fc.property(
        ...[fc.constantFrom(...models), amount, amount, amount, amount, amount],
        fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2026, 11) }),
        ([provider, model], input, cached, written, output, reasoning, at) => {
          const recorded = {
            model,
            provider,
            input_tokens: input,
            output_tokens: output,
            cached_input_tokens: cached,
            cache_creation_input_tokens: written,
            reasoning_tokens: reasoning,
          };
          let expected: number | undefined;
          try {
            const tokens = { input_tokens: input, cache_read_tokens: cached, cache_write_tokens: written };
            expected = calcPrice(
              { ...tokens, output_tokens: output, output_reasoning_tokens: reasoning },
              model,
              { providerId: provider, timestamp: new Date(at) },
            )?.total_price;
          } catch {
            expected = undefined;
          }
          const computed = prices.compute(recorded, at * 1000)?.usd;
          if (expected === undefined) expect(computed).toBeUndefined();
          else expect(Math.abs((computed ?? NaN) - expected)).toBeLessThanOrEqual(1e-9 * (1 + expected));
        },
      ),
    );
  });
});

describe('own prices', () => {
  const list = (...entries: object[]) =>
    new PriceList(OwnPrices.parse(JSON.stringify({ version: '7', prices: entries })), '1.2.3');

  it('have precedence over the price table, and the first match counts', () => {
    const own = list(
      { model: 'gpt-4o', provider: 'azure', input_mtok: 1, output_mtok: 0 },
      { model: 'local-*', input_mtok: 0, output_mtok: 0 },
      { model: 'local-big', input_mtok: 9, output_mtok: 9 },
    );
    expect(own.version).toBe('own@7, genai-prices@1.2.3');
    expect(own.compute(usage('GPT-4o', 'Azure'), AT)).toEqual({ usd: 1, priceVersion: 'own@7' });
    expect(own.compute(usage('gpt-4o', 'azure.chat'), AT)?.usd).toBe(1);
    expect(own.compute(usage('gpt-4o', 'openai'), AT)?.priceVersion).toBe('genai-prices@1.2.3');
    expect(own.compute(usage('gpt-4o'), AT)?.priceVersion).toBe('genai-prices@1.2.3');
    expect(own.compute(usage('local-big'), AT)).toEqual({ usd: 0, priceVersion: 'own@7' });
  });

  it('have precedence over a reported cost, which counts when no own price matches', () => {
    const own = list({ model: 'gpt-4o', input_mtok: 1, output_mtok: 0 });
    expect(own.findCost({ ...usage('gpt-4o'), cost_usd: 9 }, AT)).toEqual({ usd: 1, priceVersion: 'own@7' });
    expect(own.findCost({ ...usage('other'), cost_usd: 9 }, AT)).toEqual({
      usd: 9,
      priceVersion: 'reported',
    });
    expect(own.findCost({ model: 'gpt-4o', cost_usd: 9 }, AT)?.usd).toBe(9);
  });

  it('map a deployment to the model that it runs', () => {
    const own = list({ model: 'desk-*', provider: 'azure', priced_as: 'gpt-4o' });
    const deployed = usage('desk-prod', 'azure');
    expect(own.compute(deployed, AT)).toEqual(prices.compute(usage('gpt-4o', 'azure'), AT));
    expect(own.compute({ ...deployed, response_model: 'gpt-4' }, AT)?.usd).toBe(3.5);
    expect(own.compute(usage('desk-prod', 'openai'), AT)).toBeUndefined();
    expect(list({ model: 'desk', priced_as: 'no-such' }).compute(usage('desk', 'azure'), AT)).toBeUndefined();
  });

  it('can be for one service tier, and count as the standard price in the others', () => {
    const own = list(
      { model: 'gpt-4o', service_tier: 'Priority', input_mtok: 8, output_mtok: 0 },
      { model: 'gpt-4o', input_mtok: 2, output_mtok: 0 },
    );
    const cost = (service_tier: string, provider?: string) =>
      own.compute({ ...usage('gpt-4o', provider), service_tier }, AT)?.usd;
    expect(cost('priority', 'openai')).toBe(8);
    expect(cost('default', 'openai')).toBe(2);
    expect(cost('batch', 'openai.chat')).toBe(1);
    expect(cost('scale', 'openai')).toBeUndefined();
    expect(cost('batch')).toBeUndefined();
  });

  it('use a hash as their version when the file names none', () => {
    const parse = (text: string) => OwnPrices.parse(text).version;
    expect(parse('{"prices":[]}')).toMatch(/^own@[0-9a-f]{8}$/);
    expect(parse('{"prices":[]}')).not.toBe(parse('{"prices":[] }'));
  });

  it.each([
    ['[]', 'must be an object'],
    ['{}', 'prices must be an array'],
    ['{"prices":[{"model":"m"}]}', 'prices[0].input_mtok must be a number of at least 0, not absent'],
    ['{"prices":[{"model":"m","input_mtok":-1}]}', 'prices[0].input_mtok must be a number of at least 0'],
    ['{"prices":[{"model":" ","input_mtok":1}]}', 'prices[0].model must not be blank'],
    ['{"prices":[{"model":"m","priced_as":"n","input_mtok":1}]}', 'prices[0].input_mtok is unknown'],
    ['{"prices":[{"model":"m","input_mtok":1,"ouput_mtok":2}]}', 'prices[0].ouput_mtok is unknown'],
  ])('are refused when they are %s', (text, problem) => {
    expect(() => OwnPrices.parse(text)).toThrow(problem);
  });
});
