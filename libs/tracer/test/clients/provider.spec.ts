import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { AzureOpenAI } from 'openai';
import { createTestTracer } from '../../src/testing.js';

interface Reply {
  readonly usage?: object;
  readonly headers?: Record<string, string>;
}

const MESSAGES = [{ role: 'user' as const, content: 'Hm?' }];

let origin: string;
let reply: Reply = {};
const http = createServer((request, response) => {
  request.resume().on('end', () => {
    const usage = { prompt_tokens: 12, completion_tokens: 9, ...reply.usage };
    const message = { role: 'assistant', content: 'Well.' };
    response.writeHead(200, { 'content-type': 'application/json', ...reply.headers });
    response.end(
      JSON.stringify({ model: 'm-1', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
    );
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => {
  http.close();
  http.closeAllConnections();
});
beforeEach(() => {
  reply = {};
});

/** Sends requests for any host to the loopback server. */
const fetchFromLoopback: typeof fetch = (input, init) => {
  const { pathname } = new URL(new Request(input, init).url);
  return fetch(`${origin}${pathname}`, init);
};

async function recordUsage(baseURL: string): Promise<unknown> {
  const { tracer, spans } = createTestTracer();
  const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL, fetch: fetchFromLoopback }));
  await client.chat.completions.create({ model: 'm', messages: MESSAGES });
  return spans[0]?.span_data.usage;
}

describe('the provider of a wrapped client', () => {
  it.each([
    ['https://api.groq.com/openai/v1', 'groq'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://desk.openai.azure.com/openai/v1', 'azure'],
  ])('of openai at %s is %s', async (address, provider) => {
    expect(await recordUsage(address)).toMatchObject({ provider, model: 'm', response_model: 'm-1' });
  });

  it('is absent at an unknown address', async () => {
    expect(await recordUsage(`${origin}/v1`)).not.toHaveProperty('provider');
  });

  it("is azure for Azure's client at an address of your own", async () => {
    const { tracer, spans } = createTestTracer();
    const client = new AzureOpenAI({ apiKey: 'k', apiVersion: '2025-01-01', endpoint: origin });
    await tracer.wrapClient(client).chat.completions.create({ model: 'desk-prod', messages: MESSAGES });
    expect(spans[0]?.span_data.usage).toMatchObject({ provider: 'azure', model: 'desk-prod' });
  });

  it('is deepseek for the client of Anthropic at the address of DeepSeek', async () => {
    const { tracer, spans } = createTestTracer();
    const baseURL = 'https://api.deepseek.com/anthropic';
    const client = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL, fetch: fetchFromLoopback }));
    await client.messages.create({ model: 'deepseek-chat', max_tokens: 9, messages: MESSAGES });
    expect(spans[0]?.span_data.usage).toMatchObject({ provider: 'deepseek' });
  });
});

describe('the cost that a gateway reports', () => {
  it("is OpenRouter's", async () => {
    reply = { usage: { cost: 0.00042, is_byok: false, cost_details: { upstream_inference_cost: null } } };
    expect(await recordUsage('https://openrouter.ai/api/v1')).toMatchObject({ cost_usd: 0.00042 });
  });

  it("is OpenRouter's fee and the provider's price with a key of your own", async () => {
    reply = { usage: { cost: 0.0001, is_byok: true, cost_details: { upstream_inference_cost: 0.002 } } };
    expect(await recordUsage('https://openrouter.ai/api/v1')).toMatchObject({ cost_usd: 0.0021 });
  });

  it("is unknown with a key of your own and without the provider's price", async () => {
    reply = { usage: { cost: 0.0001, is_byok: true, cost_details: { upstream_inference_cost: null } } };
    expect(await recordUsage('https://openrouter.ai/api/v1')).not.toHaveProperty('cost_usd');
  });

  it("is Perplexity's", async () => {
    reply = { usage: { cost: { input_tokens_cost: 0.001, total_cost: 0.006 } } };
    expect(await recordUsage('https://api.perplexity.ai')).toMatchObject({ cost_usd: 0.006 });
  });

  it('is not read from a bare number without a currency', async () => {
    reply = { usage: { cost: 5 } };
    expect(await recordUsage(`${origin}/v1`)).not.toHaveProperty('cost_usd');
  });

  it('is the one of LiteLLM, with the provider that its proxy called', async () => {
    reply = {
      headers: {
        'x-litellm-response-cost': '0.000123',
        'x-litellm-model-api-base': 'https://api.anthropic.com',
      },
    };
    expect(await recordUsage(`${origin}/v1`)).toMatchObject({ cost_usd: 0.000123, provider: 'anthropic' });
  });

  it.each(['None', '', '-1', 'NaN', '1e999'])('is not %p of LiteLLM', async (cost) => {
    reply = { headers: { 'x-litellm-response-cost': cost } };
    expect(await recordUsage(`${origin}/v1`)).not.toHaveProperty('cost_usd');
  });
});
