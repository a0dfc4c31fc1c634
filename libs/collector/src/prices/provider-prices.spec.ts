import type { UsageRecord } from '@dacapo/protocol';
import { PriceList } from './price-list.js';

/** Providers as detected by address, a model, and whether the price package has a price for it there. */
const PROVIDERS: readonly (readonly [provider: string, model: string, hasPrice: boolean])[] = [
  ['openai', 'gpt-4o', true],
  ['openai', 'text-embedding-3-small', true],
  ['azure', 'gpt-4o', true],
  ['azure', 'deepseek-chat', true],
  ['anthropic', 'claude-sonnet-4-5', true],
  ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', true],
  ['google', 'gemini-2.5-flash', true],
  ['vertex', 'gemini-2.5-flash', true],
  ['vertex', 'claude-sonnet-4-5', true],
  ['openrouter', 'anthropic/claude-sonnet-4.5', true],
  ['groq', 'llama-3.3-70b-versatile', true],
  ['deepseek', 'deepseek-chat', true],
  ['together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', true],
  ['fireworks', 'accounts/fireworks/models/gpt-oss-120b', true],
  ['xai', 'grok-4', true],
  ['mistral', 'mistral-large-latest', true],
  ['mistral', 'codestral-latest', true],
  ['cohere', 'command-r-plus', true],
  // Used by test/clients/thin.clients.ts.
  ['cohere', 'command-a-03-2025', true],
  ['openrouter', 'anthropic/claude-3.5-haiku', true],
  ['bedrock', 'anthropic.claude-3-5-haiku-20241022-v1:0', true],
  ['bedrock', 'amazon.nova-lite-v1:0', true],
  ['bedrock', 'amazon.titan-text-express-v1', true],
  ['perplexity', 'sonar', true],
  ['cerebras', 'llama-3.3-70b', true],
  ['moonshotai', 'kimi-k2-0905-preview', true],
  ['novita', 'Sao10K/L3-8B-Stheno-v3.2', true],
  ['minimax', 'MiniMax-M2', true],
  ['zai', 'glm-no-such-model', false],
  ['zhipuai', 'glm-no-such-model', false],
  ['baseten', 'no/such-model', false],
  ['cloudflare', '@cf/meta/llama-3.1-8b-instruct', true],
  ['cloudflare', 'openai/gpt-4o', false],
  ['vercel', 'openai/gpt-4o', true],
  ['huggingface_groq', 'no/such-model', false],
  ['huggingface', 'openai/gpt-oss-120b', false],
  ['voyageai', 'voyage-3', true],
  ['deepinfra', 'openai/gpt-oss-120b', false],
  ['sambanova', 'DeepSeek-V3', false],
  ['nvidia', 'openai/gpt-oss-120b', false],
  ['nebius', 'openai/gpt-oss-120b', false],
  ['github', 'openai/gpt-4o', false],
  ['alibaba', 'qwen-max', false],
  ['siliconflow', 'deepseek-ai/DeepSeek-V3', false],
  ['databricks', 'gpt-oss-120b', false],
  ['ollama', 'deepseek-r1:8b', false],
  ['ollama', 'gemma3', false],
];

/** Provider names that libraries record. */
const NAMES: readonly (readonly [provider: string, model: string])[] = [
  ['openai.responses', 'gpt-4o'],
  ['azure-openai.chat', 'gpt-4o'],
  ['azure.responses', 'gpt-4o'],
  ['az.ai.openai', 'gpt-4o'],
  ['anthropic.messages', 'claude-sonnet-4-5'],
  ['amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['bedrock.anthropic.messages', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['aws.bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['google.generative-ai', 'gemini-2.5-flash'],
  ['google.vertex.chat', 'gemini-2.5-flash'],
  ['gcp.vertex_ai', 'gemini-2.5-flash'],
  ['vertex.anthropic.messages', 'claude-sonnet-4-5'],
  ['google_genai', 'gemini-2.5-flash'],
  ['groq.chat', 'llama-3.3-70b-versatile'],
  ['xai.chat', 'grok-4'],
  ['x_ai', 'grok-4'],
  ['openrouter.chat', 'openai/gpt-4o'],
  ['gateway', 'openai/gpt-4o'],
  ['gateway', 'xai/grok-4'],
  ['litellm', 'gemini/gemini-2.5-flash'],
  ['mistral.chat', 'mistral-large-latest'],
  ['mistral_ai', 'mistral-large-latest'],
  ['cohere.chat', 'command-r-plus'],
  ['deepseek.chat', 'deepseek-chat'],
  ['togetherai.chat', 'meta-llama/Llama-3.3-70B-Instruct-Turbo'],
  ['perplexity', 'sonar'],
  ['cerebras.chat', 'llama-3.3-70b'],
  ['moonshotai.chat', 'kimi-k2-0905-preview'],
];

interface PricedModel {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly response_model?: string;
}

const prices = new PriceList();

function cost({ provider, ...model }: PricedModel): number | undefined {
  const usage: UsageRecord = { ...model, input_tokens: 1_000_000, output_tokens: 1_000_000 };
  if (provider !== undefined) usage.provider = provider;
  return prices.findCost(usage, Date.now() * 1000)?.usd;
}

describe('the price of a request', () => {
  it('is known for at least 40 providers, gateways and provider names, and unknown when the package has none', () => {
    const known = new Set<string>();
    for (const [provider, model, hasPrice] of PROVIDERS) {
      const usd = cost({ model, provider });
      expect({ provider, model, hasPrice: usd !== undefined }).toEqual({ provider, model, hasPrice });
      if (hasPrice) known.add(provider);
    }
    for (const [provider, model] of NAMES) {
      expect({ provider, model, isPriced: (cost({ model, provider }) ?? 0) > 0 }).toEqual({
        provider,
        model,
        isPriced: true,
      });
      known.add(provider);
    }
    expect(known.size).toBeGreaterThanOrEqual(40);
  });

  it("is the original provider's for a closed model at an unknown address", () => {
    expect(cost({ model: 'gpt-4o' })).toBe(cost({ model: 'gpt-4o', provider: 'openai' }));
    expect(cost({ model: 'claude-sonnet-4-5' })).toBe(
      cost({ model: 'claude-sonnet-4-5', provider: 'anthropic' }),
    );
    expect(cost({ model: 'anthropic/claude-sonnet-4-5' })).toBe(
      cost({ model: 'claude-sonnet-4-5', provider: 'anthropic' }),
    );
  });

  it.each(['deepseek-r1-distill-qwen-7b', 'gpt-oss-120b', 'gemma-3-27b-it', 'llama-3.3-70b', 'my-model'])(
    'is unknown for the open model %s at an unknown address',
    (model) => {
      expect(cost({ model })).toBeUndefined();
    },
  );

  it('is that of the responding model behind a deployment or an alias', () => {
    const expected = cost({ model: 'gpt-4o', provider: 'azure' });
    expect(cost({ model: 'desk-prod', provider: 'azure' })).toBeUndefined();
    expect(cost({ model: 'desk-prod', response_model: 'gpt-4o-2024-08-06', provider: 'azure' })).toBe(
      expected,
    );
    expect(cost({ model: 'gpt-4o', response_model: 'desk-prod', provider: 'azure' })).toBe(expected);
  });
});
