import { findProvider } from './find-provider.js';

/** Other services have the same APIs, so at an unknown address the name identifies no provider. */
const SHARED_APIS = /^(openai|anthropic)\b/;

/**
 * Finds the provider of a model whose library reports only its API: `openai` at Groq's address is `groq`.
 *
 * @param address `undefined` if the library does not expose it
 * @param named the library's name for the provider
 */
export function findModelProvider(address: unknown, named: unknown): string | undefined {
  const name = typeof named === 'string' ? named : undefined;
  if (address === undefined || address === null) return name;
  const found = findProvider(address);
  if (found !== undefined) return name?.startsWith(found) === true ? name : found;
  return name !== undefined && SHARED_APIS.test(name) ? undefined : name;
}
