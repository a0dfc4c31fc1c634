import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCollector } from '@dacapo/collector';
import type { UsageRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { createTestTracer } from '@dacapo/tracer/testing';
import { calcPrice } from '@pydantic/genai-prices';
import OpenAI from 'openai';

interface Row {
  readonly address: string;
  /** As the tracer names it. */
  readonly provider: string;
  readonly model: string;
  /** The provider whose prices apply, where the price package does not know the address. */
  readonly prices?: string;
}

const ROWS = JSON.parse(readFileSync(join(__dirname, 'providers.json'), 'utf8')) as readonly Row[];
const TOKENS = { input_tokens: 1_000_000, output_tokens: 100_000 };

/** Asks a model at an address, which answers in this process; returns the recorded usage. */
async function recordUsage({ address, model }: Row): Promise<UsageRecord | undefined> {
  const { tracer, spans } = createTestTracer();
  const fetch = (): Promise<Response> =>
    Promise.resolve(
      Response.json({
        id: 'c1',
        object: 'chat.completion',
        created: 1,
        model,
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Mild.' } }],
        usage: { prompt_tokens: TOKENS.input_tokens, completion_tokens: TOKENS.output_tokens },
      }),
    );
  const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: address, fetch }));
  await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Weather?' }] });
  return spans[0]?.span_data.usage;
}

/** By the package alone, which finds its provider by the address; `undefined`: it has no price. */
function priceByPackage({ address, model, prices }: Row): number | undefined {
  const name = prices === undefined ? model : model.slice(model.indexOf('/') + 1);
  const of = prices === undefined ? { providerApiUrl: address } : { providerId: prices };
  try {
    return calcPrice(TOKENS, name, of)?.total_price;
  } catch {
    // It throws where it knows no provider at the address.
    return undefined;
  }
}

describe('providers and gateways', () => {
  const usages: (UsageRecord | undefined)[] = [];
  let costs: (number | null)[];

  beforeAll(async () => {
    for (const row of ROWS) usages.push(await recordUsage(row));
    const collector = await startCollector({ port: 0, storage: 'memory' });
    const response = await fetch(collector.url + API.costs.compute.path, {
      method: 'POST',
      headers: { 'api-key': collector.apiKey!, 'content-type': 'application/json' },
      body: JSON.stringify({ usages }),
    });
    ({ costs } = (await response.json()) as { costs: (number | null)[] });
    await collector.close();
  });

  it.each(ROWS.map((row, index) => [row.address, row, index] as const))(
    'has the provider and the price of the package at %s',
    (_, row, index) => {
      expect(usages[index]).toMatchObject({ ...TOKENS, model: row.model, provider: row.provider });
      const price = priceByPackage(row);
      if (price === undefined) expect(costs[index]).toBeNull();
      else expect(costs[index]).toBeCloseTo(price, 9);
    },
  );

  it('are 40 or more with a price', () => {
    const priced = ROWS.filter((_, index) => costs[index] !== null);
    expect(new Set(priced.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(40);
  });
});
