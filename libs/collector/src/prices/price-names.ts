/** A model and its provider, as the price table names them. */
export interface PriceName {
  readonly model: string;
  readonly provider: string;
}

/** Provider names of the AI SDK, LangChain, BAML and OpenTelemetry that differ from those of the price table. */
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

/** Gateways that charge the price of the provider in the model name: `openai/gpt-5`. */
const GATEWAYS = new Set(['gateway', 'vercel', 'litellm', 'litellm_proxy', 'portkey', 'helicone']);

/** Providers whose model names are unique. They are tried when the provider is unknown. */
const MAKERS = ['openai', 'anthropic', 'google', 'x-ai'];

/** Models of these providers that others run too, at other prices. */
const OPEN_WEIGHTS = /gpt-oss|gpt-2\b|gemma|grok-[12]\b/i;

/**
 * Lists the names under which a model may have a price, the most likely first. Never replaces a known provider: an open model has
 * another price at each provider.
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

/** The name of a recorded provider in the price table. */
export function normalizeProvider(recorded: string): string {
  let name = recorded.toLowerCase();
  while (API_SUFFIX.test(name)) name = name.replace(API_SUFFIX, '');
  return Object.hasOwn(PROVIDER_NAMES, name) ? (PROVIDER_NAMES[name] ?? name) : name;
}
