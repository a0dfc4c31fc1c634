import type { ModelClient } from '../options/call-options.js';

/** The variable with each provider's key, if a client names none. */
const USUAL_KEYS: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  'google-ai': 'GOOGLE_API_KEY',
};

const SHORTHAND = /^[ \t]*client[ \t]+"?([a-z-]+)\/[^\s"]+/m;
const NEXT_DECLARATION =
  /\n(?:function|class|enum|client|retry_policy|generator|test|template_string|type)\b/;

/**
 * Returns the variable with the provider's key if it is missing or blank, as far as that is known before the call. The runtime would not
 * notice, and would send the variable's name as the key.
 *
 * @param client the client of the call; absent: the client in the source, which is known if it is the short form of a model
 */
export function missingKey(
  source: string,
  entry: string,
  client: ModelClient | undefined,
  envVars: Readonly<Record<string, string>>,
): string | undefined {
  if (client?.options?.['api_key'] !== undefined) return undefined;
  const provider = client?.provider ?? shorthandProvider(source, entry);
  const name = provider === undefined ? undefined : USUAL_KEYS[provider];
  return name === undefined || (envVars[name] ?? '').trim() !== '' ? undefined : name;
}

function shorthandProvider(source: string, entry: string): string | undefined {
  const [, body = ''] = source.split(new RegExp(`^[ \\t]*function\\s+${entry}\\s*\\(`, 'm'));
  const [own = ''] = body.split(NEXT_DECLARATION);
  return SHORTHAND.exec(own)?.[1];
}
