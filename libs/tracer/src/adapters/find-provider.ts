/** The hosts of providers' APIs: a host matches an entry that it equals or is a subdomain of. */
const HOSTS: Readonly<Record<string, string>> = {
  'ai.azure.com': 'azure',
  'ai21.com': 'ai21',
  'ai-gateway.vercel.sh': 'vercel',
  'aiplatform.googleapis.com': 'vertex',
  'aliyuncs.com': 'alibaba',
  'api.anthropic.com': 'anthropic',
  'api.arcee.ai': 'arcee',
  'api.avian.io': 'avian',
  'api.cerebras.ai': 'cerebras',
  'api.cloudflare.com': 'cloudflare',
  'api.cohere.ai': 'cohere',
  'api.cohere.com': 'cohere',
  'api.cursor.com': 'cursor',
  'api.deepinfra.com': 'deepinfra',
  'api.deepseek.com': 'deepseek',
  'api.doubleword.ai': 'doubleword',
  'api.fireworks.ai': 'fireworks',
  'api.githubcopilot.com': 'github-copilot',
  'api.groq.com': 'groq',
  'api.hyperbolic.xyz': 'hyperbolic',
  'api.inceptionlabs.ai': 'inception',
  'api.jina.ai': 'jina',
  'api.lambda.ai': 'lambda',
  'api.minimax.io': 'minimax',
  'api.minimaxi.com': 'minimax',
  'api.mistral.ai': 'mistral',
  'api.moonshot.ai': 'moonshotai',
  'api.moonshot.cn': 'moonshotai',
  'api.novita.ai': 'novita',
  'api.openai.com': 'openai',
  'api.perplexity.ai': 'perplexity',
  'api.quicksilverpro.io': 'quicksilverpro',
  'api.replicate.com': 'replicate',
  'api.sambanova.ai': 'sambanova',
  'api.siliconflow.cn': 'siliconflow',
  'api.siliconflow.com': 'siliconflow',
  'api.stepfun.com': 'stepfun',
  'api.together.ai': 'together',
  'api.together.xyz': 'together',
  'api.typesafe.ai': 'typesafe',
  'api.voyageai.com': 'voyageai',
  'api.writer.com': 'writer',
  'api.x.ai': 'xai',
  'api.z.ai': 'zai',
  'azure-api.net': 'azure',
  'cloud.databricks.com': 'databricks',
  'codestral.mistral.ai': 'mistral',
  'cognitiveservices.azure.com': 'azure',
  'generativelanguage.googleapis.com': 'google',
  'inference.baseten.co': 'baseten',
  'integrate.api.nvidia.com': 'nvidia',
  'kepler.ai.cloud.ovh.net': 'ovhcloud',
  'modal.direct': 'modal',
  'modal.run': 'modal',
  'models.github.ai': 'github',
  'models.inference.ai.azure.com': 'github',
  'nebius.ai': 'nebius',
  'nebius.com': 'nebius',
  'oai.helicone.ai': 'openai',
  'anthropic.helicone.ai': 'anthropic',
  'ollama.com': 'ollama',
  'open.bigmodel.cn': 'zhipuai',
  'openai.azure.com': 'azure',
  'openrouter.ai': 'openrouter',
  'volces.com': 'volcengine',
};

/** Hosts that begin with a region. */
const REGIONAL_HOSTS: readonly (readonly [host: RegExp, provider: string])[] = [
  [/^bedrock(-runtime|-mantle)?(-fips)?\.[a-z0-9-]+\.(amazonaws\.com|api\.aws)$/, 'bedrock'],
  [/-aiplatform\.googleapis\.com$/, 'vertex'],
];

/** Gateways whose path names the provider that answers. */
const GATEWAY_PATHS: readonly (readonly [host: string, path: RegExp, gateway: string])[] = [
  ['gateway.ai.cloudflare.com', /^\/v1\/[^/]+\/[^/]+\/([a-z0-9-]+)/, 'cloudflare'],
  ['router.huggingface.co', /^\/([a-z0-9-]+)\/v1/, 'huggingface'],
];

/** Cloudflare's names for providers that have another name in our records. Its own models and its mixed route count as Cloudflare's. */
const CLOUDFLARE_NAMES: Readonly<Record<string, string>> = {
  'aws-bedrock': 'bedrock',
  'azure-openai': 'azure',
  compat: 'cloudflare',
  'google-ai-studio': 'google',
  'google-vertex-ai': 'vertex',
  grok: 'xai',
  'perplexity-ai': 'perplexity',
  'workers-ai': 'cloudflare',
};

/** Ollama's own port. */
const OLLAMA_PORT = '11434';

/**
 * Finds the provider of the model API at an address: `groq` for Groq's address, `huggingface_groq` for a Hugging Face route.
 *
 * @param address the base URL of a client, or the URL of a request; anything else has no provider
 * @returns `undefined` for addresses of unknown services, such as a proxy of your own
 */
export function findProvider(address: unknown): string | undefined {
  const url = parseUrl(address);
  if (url === undefined) return undefined;
  const { hostname, pathname, port } = url;
  const gateway = GATEWAY_PATHS.find(([host]) => host === hostname);
  if (gateway !== undefined) return findUpstream(gateway, pathname);
  for (let host = hostname; host.includes('.'); host = host.slice(host.indexOf('.') + 1)) {
    if (Object.hasOwn(HOSTS, host)) return HOSTS[host];
  }
  const regional = REGIONAL_HOSTS.find(([host]) => host.test(hostname));
  return regional?.[1] ?? (port === OLLAMA_PORT ? 'ollama' : undefined);
}

function findUpstream([, path, gateway]: (typeof GATEWAY_PATHS)[number], pathname: string): string {
  const upstream = path.exec(pathname)?.[1];
  if (upstream === undefined) return gateway;
  if (gateway === 'huggingface') return `huggingface_${upstream}`;
  return CLOUDFLARE_NAMES[upstream] ?? upstream;
}

function parseUrl(address: unknown): URL | undefined {
  if (typeof address !== 'string' && !(address instanceof URL)) return undefined;
  return URL.canParse(String(address)) ? new URL(String(address)) : undefined;
}
