import type { ModelClient } from '../options/call-options.js';

/** Where each provider's key is looked for when a client names none. */
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
 * The variable that the call will lack, or that is blank, if that can be told before anything is sent: the runtime does not notice, and
 * would send the variable's name for the key.
 *
 * @param client the client of the call; absent: the one that the function names, told when it is short for a model
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
