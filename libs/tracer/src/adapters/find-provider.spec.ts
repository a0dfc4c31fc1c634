import { findProvider } from './find-provider.js';

/** Addresses as their providers document them. */
const ADDRESSES: readonly (readonly [address: string, provider: string])[] = [
  ['https://api.openai.com/v1', 'openai'],
  ['https://eu.api.openai.com/v1', 'openai'],
  ['https://desk.openai.azure.com/openai/v1', 'azure'],
  ['https://desk.cognitiveservices.azure.com/', 'azure'],
  ['https://desk.services.ai.azure.com/models', 'azure'],
  ['https://desk.azure-api.net/openai', 'azure'],
  ['https://api.anthropic.com', 'anthropic'],
  ['https://bedrock-runtime.us-east-1.amazonaws.com', 'bedrock'],
  ['https://generativelanguage.googleapis.com/v1beta/openai/', 'google'],
  ['https://us-central1-aiplatform.googleapis.com/v1', 'vertex'],
  ['https://aiplatform.googleapis.com/v1', 'vertex'],
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['https://api.groq.com/openai/v1', 'groq'],
  ['https://api.deepseek.com', 'deepseek'],
  ['https://api.together.xyz/v1', 'together'],
  ['https://api.fireworks.ai/inference/v1', 'fireworks'],
  ['https://api.x.ai/v1', 'xai'],
  ['https://api.mistral.ai/v1', 'mistral'],
  ['https://codestral.mistral.ai/v1', 'mistral'],
  ['https://api.cohere.ai/compatibility/v1', 'cohere'],
  ['https://api.cohere.com/v2', 'cohere'],
  ['https://api.perplexity.ai', 'perplexity'],
  ['https://api.cerebras.ai/v1', 'cerebras'],
  ['https://api.moonshot.ai/v1', 'moonshotai'],
  ['https://api.novita.ai/v3/openai', 'novita'],
  ['https://api.minimax.io/v1', 'minimax'],
  ['https://api.z.ai/api/paas/v4', 'zai'],
  ['https://open.bigmodel.cn/api/paas/v4', 'zhipuai'],
  ['https://inference.baseten.co/v1', 'baseten'],
  ['https://api.cloudflare.com/client/v4/accounts/a1/ai/v1', 'cloudflare'],
  ['https://gateway.ai.cloudflare.com/v1/a1/desk/openai', 'openai'],
  ['https://gateway.ai.cloudflare.com/v1/a1/desk/google-ai-studio', 'google'],
  ['https://gateway.ai.cloudflare.com/v1/a1/desk/compat', 'cloudflare'],
  ['https://ai-gateway.vercel.sh/v1', 'vercel'],
  ['https://router.huggingface.co/groq/v1', 'huggingface_groq'],
  ['https://router.huggingface.co/v1', 'huggingface'],
  ['https://api.voyageai.com/v1', 'voyageai'],
  ['https://oai.helicone.ai/v1', 'openai'],
  ['https://api.deepinfra.com/v1/openai', 'deepinfra'],
  ['https://api.sambanova.ai/v1', 'sambanova'],
  ['https://integrate.api.nvidia.com/v1', 'nvidia'],
  ['https://api.studio.nebius.ai/v1', 'nebius'],
  ['https://models.github.ai/inference', 'github'],
  ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'alibaba'],
  ['https://api.siliconflow.com/v1', 'siliconflow'],
  ['https://adb-1.cloud.databricks.com/serving-endpoints', 'databricks'],
  ['http://127.0.0.1:11434/v1', 'ollama'],
  ['http://ollama.svc.cluster.local:11434/v1', 'ollama'],
];

describe('findProvider', () => {
  it.each(ADDRESSES)('finds the provider at %s: %s', (address, provider) => {
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
  ])('knows no provider at %p', (address) => {
    expect(findProvider(address)).toBeUndefined();
  });
});
