import type { UsageRecord } from '@dacapo/protocol';
import { PriceList } from '../libs/collector/src/prices/price-list.js';
import { findProvider } from '../libs/tracer/src/adapters/find-provider.js';

/**
 * Addresses as their providers document them, the provider that is recorded, a model that is asked for, and whether the price
 * package knows what that costs there.
 */
const ADDRESSES: readonly (readonly [address: string, provider: string, model: string, hasPrice: boolean])[] =
  [
    ['https://api.openai.com/v1', 'openai', 'gpt-4o', true],
    ['https://eu.api.openai.com/v1', 'openai', 'text-embedding-3-small', true],
    ['https://desk.openai.azure.com/openai/v1', 'azure', 'gpt-4o', true],
    ['https://desk.cognitiveservices.azure.com/', 'azure', 'gpt-4o', true],
    ['https://desk.services.ai.azure.com/models', 'azure', 'deepseek-chat', true],
    ['https://desk.azure-api.net/openai', 'azure', 'gpt-4o', true],
    ['https://api.anthropic.com', 'anthropic', 'claude-sonnet-4-5', true],
    [
      'https://bedrock-runtime.us-east-1.amazonaws.com',
      'bedrock',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      true,
    ],
    ['https://generativelanguage.googleapis.com/v1beta/openai/', 'google', 'gemini-2.5-flash', true],
    ['https://us-central1-aiplatform.googleapis.com/v1', 'vertex', 'gemini-2.5-flash', true],
    ['https://aiplatform.googleapis.com/v1', 'vertex', 'claude-sonnet-4-5', true],
    ['https://openrouter.ai/api/v1', 'openrouter', 'anthropic/claude-sonnet-4.5', true],
    ['https://api.groq.com/openai/v1', 'groq', 'llama-3.3-70b-versatile', true],
    ['https://api.deepseek.com', 'deepseek', 'deepseek-chat', true],
    ['https://api.together.xyz/v1', 'together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', true],
    ['https://api.fireworks.ai/inference/v1', 'fireworks', 'accounts/fireworks/models/gpt-oss-120b', true],
    ['https://api.x.ai/v1', 'xai', 'grok-4', true],
    ['https://api.mistral.ai/v1', 'mistral', 'mistral-large-latest', true],
    ['https://codestral.mistral.ai/v1', 'mistral', 'codestral-latest', true],
    ['https://api.cohere.ai/compatibility/v1', 'cohere', 'command-r-plus', true],
    ['https://api.cohere.com/v2', 'cohere', 'command-r-plus', true],
    ['https://api.perplexity.ai', 'perplexity', 'sonar', true],
    ['https://api.cerebras.ai/v1', 'cerebras', 'llama-3.3-70b', true],
    ['https://api.moonshot.ai/v1', 'moonshotai', 'kimi-k2-0905-preview', true],
    ['https://api.novita.ai/v3/openai', 'novita', 'Sao10K/L3-8B-Stheno-v3.2', true],
    ['https://api.minimax.io/v1', 'minimax', 'MiniMax-M2', true],
    ['https://api.z.ai/api/paas/v4', 'zai', 'glm-no-such-model', false],
    ['https://open.bigmodel.cn/api/paas/v4', 'zhipuai', 'glm-no-such-model', false],
    ['https://inference.baseten.co/v1', 'baseten', 'no/such-model', false],
    [
      'https://api.cloudflare.com/client/v4/accounts/a1/ai/v1',
      'cloudflare',
      '@cf/meta/llama-3.1-8b-instruct',
      true,
    ],
    ['https://gateway.ai.cloudflare.com/v1/a1/desk/openai', 'openai', 'gpt-4o', true],
    ['https://gateway.ai.cloudflare.com/v1/a1/desk/google-ai-studio', 'google', 'gemini-2.5-flash', true],
    ['https://gateway.ai.cloudflare.com/v1/a1/desk/compat', 'cloudflare', 'openai/gpt-4o', false],
    ['https://ai-gateway.vercel.sh/v1', 'vercel', 'openai/gpt-4o', true],
    ['https://router.huggingface.co/groq/v1', 'huggingface_groq', 'no/such-model', false],
    ['https://router.huggingface.co/v1', 'huggingface', 'openai/gpt-oss-120b', false],
    ['https://api.voyageai.com/v1', 'voyageai', 'voyage-3', true],
    ['https://oai.helicone.ai/v1', 'openai', 'gpt-4o', true],
    ['https://api.deepinfra.com/v1/openai', 'deepinfra', 'openai/gpt-oss-120b', false],
    ['https://api.sambanova.ai/v1', 'sambanova', 'DeepSeek-V3', false],
    ['https://integrate.api.nvidia.com/v1', 'nvidia', 'openai/gpt-oss-120b', false],
    ['https://api.studio.nebius.ai/v1', 'nebius', 'openai/gpt-oss-120b', false],
    ['https://models.github.ai/inference', 'github', 'openai/gpt-4o', false],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'alibaba', 'qwen-max', false],
    ['https://api.siliconflow.com/v1', 'siliconflow', 'deepseek-ai/DeepSeek-V3', false],
    ['https://adb-1.cloud.databricks.com/serving-endpoints', 'databricks', 'gpt-oss-120b', false],
    ['http://127.0.0.1:11434/v1', 'ollama', 'deepseek-r1:8b', false],
    ['http://ollama.svc.cluster.local:11434/v1', 'ollama', 'gemma3', false],
  ];

/** Names of providers as libraries record them. */
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

interface AskedModel {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly response_model?: string;
}

const prices = new PriceList();

function cost({ provider, ...asked }: AskedModel): number | undefined {
  const usage: UsageRecord = { ...asked, input_tokens: 1_000_000, output_tokens: 1_000_000 };
  if (provider !== undefined) usage.provider = provider;
  return prices.costOf(usage, Date.now() * 1000)?.usd;
}

describe('the provider of a request', () => {
  it.each(ADDRESSES)('at %s is %s', (address, provider) => {
    expect(findProvider(address)).toBe(provider);
    expect(findProvider(new URL(address))).toBe(provider);
  });

  it.each([
    'http://127.0.0.1:4000/v1',
    'https://models.example.com/v1',
    'https://api.openai.com.example.com/v1',
    'https://example.com/api.openai.com',
    'https://notapi.openai.com.evil/',
    'https://fakeopenrouter.ai/',
    'api.openai.com',
    '',
    undefined,
    42,
    {},
  ])('at %p is not known', (address) => {
    expect(findProvider(address)).toBeUndefined();
  });
});

describe('the price of a request', () => {
  it('is known for at least 40 providers, gateways and names of them, and unknown where the package has none', () => {
    const known = new Set<string>();
    for (const [address, provider, model, hasPrice] of ADDRESSES) {
      const usd = cost({ model, provider: findProvider(address) });
      expect({ address, model, hasPrice: usd !== undefined }).toEqual({ address, model, hasPrice });
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

  it('is that of the maker for a closed model behind an unknown address', () => {
    expect(cost({ model: 'gpt-4o' })).toBe(cost({ model: 'gpt-4o', provider: 'openai' }));
    expect(cost({ model: 'claude-sonnet-4-5' })).toBe(
      cost({ model: 'claude-sonnet-4-5', provider: 'anthropic' }),
    );
    expect(cost({ model: 'anthropic/claude-sonnet-4-5' })).toBe(
      cost({ model: 'claude-sonnet-4-5', provider: 'anthropic' }),
    );
  });

  it.each(['deepseek-r1-distill-qwen-7b', 'gpt-oss-120b', 'gemma-3-27b-it', 'llama-3.3-70b', 'my-model'])(
    'is unknown for %s behind an unknown address: anyone may run it',
    (model) => {
      expect(cost({ model })).toBeUndefined();
    },
  );

  it('is that of the model that answered, behind a deployment or an alias', () => {
    const expected = cost({ model: 'gpt-4o', provider: 'azure' });
    expect(cost({ model: 'desk-prod', provider: 'azure' })).toBeUndefined();
    expect(cost({ model: 'desk-prod', response_model: 'gpt-4o-2024-08-06', provider: 'azure' })).toBe(
      expected,
    );
    expect(cost({ model: 'gpt-4o', response_model: 'desk-prod', provider: 'azure' })).toBe(expected);
  });
});
