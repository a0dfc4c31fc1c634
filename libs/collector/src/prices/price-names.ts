/** A model under the names of the price table. */
export interface PriceName {
  readonly model: string;
  readonly provider: string;
}

/** Names of providers in the AI SDK, LangChain, BAML and OpenTelemetry, where the price table has another one. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws',
  'aws-bedrock': 'aws',
  'aws.bedrock': 'aws',
  'az.ai.inference': 'azure',
  'az.ai.openai': 'azure',
  'azure-openai': 'azure',
  'azure.ai.inference': 'azure',
  'azure.ai.openai': 'azure',
  'azure.anthropic': 'azure',
  'bedrock.anthropic': 'aws',
  'fireworks-ai': 'fireworks',
  'gcp.gemini': 'google',
  'gcp.gen_ai': 'google',
  'gcp.vertex_ai': 'google',
  'google-ai': 'google',
  'google.vertex': 'google',
  'mistral-ai': 'mistral',
  'moonshot-ai': 'moonshotai',
  'together-ai': 'together',
  'vertex-ai': 'google',
  'vertex.anthropic': 'google',
  'x-ai': 'x-ai',
  amazon_bedrock: 'aws',
  azure_openai: 'azure',
  bedrock: 'aws',
  bedrock_converse: 'aws',
  fireworks_ai: 'fireworks',
  gemini: 'google',
  google_genai: 'google',
  google_vertexai: 'google',
  mistral_ai: 'mistral',
  mistralai: 'mistral',
  moonshot: 'moonshotai',
  moonshot_ai: 'moonshotai',
  together_ai: 'together',
  togetherai: 'together',
  vertex: 'google',
  vertex_ai: 'google',
  x_ai: 'x-ai',
  xai: 'x-ai',
  zhipu: 'zhipuai',
};

/** The AI SDK appends the API to the provider: `groq.chat`, `google.vertex.chat`. */
const API_SUFFIX =
  /\.(chat|responses|completions?|messages|embeddings?|image|transcription|speech|text|generative-ai)$/;

/** Gateways that bill the price of the provider that the model's name begins with: `openai/gpt-5`. */
const GATEWAYS = new Set(['gateway', 'vercel', 'litellm', 'litellm_proxy', 'portkey', 'helicone']);

/** Providers whose models no one else names alike, for requests of which the provider is not known. */
const MAKERS = ['openai', 'anthropic', 'google', 'x-ai'];

/** Models of these makers that anyone may run, at any price. */
const OPEN_WEIGHTS = /gpt-oss|gpt-2\b|gemma|grok-[12]\b/i;

/**
 * Lists the names under which a model may have a price, the likeliest first. A provider that is known is never replaced by another
 * one: an open model costs something else everywhere.
 */
export function listPriceNames(model: string, provider: string | undefined): PriceName[] {
  const known = provider === undefined ? undefined : normalizeProvider(provider);
  if (known !== undefined && !GATEWAYS.has(known)) return [{ model, provider: known }];
  const slash = model.indexOf('/');
  if (slash > 0) {
    return [{ model: model.slice(slash + 1), provider: normalizeProvider(model.slice(0, slash)) }];
  }
  if (OPEN_WEIGHTS.test(model)) return [];
  return MAKERS.map((maker) => ({ model, provider: maker }));
}

function normalizeProvider(recorded: string): string {
  let name = recorded.toLowerCase();
  while (API_SUFFIX.test(name)) name = name.replace(API_SUFFIX, '');
  return Object.hasOwn(PROVIDER_NAMES, name) ? (PROVIDER_NAMES[name] ?? name) : name;
}
