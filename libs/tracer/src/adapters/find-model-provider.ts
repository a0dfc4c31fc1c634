import { findProvider } from './find-provider.js';

/** Others speak these APIs too, so at another address the name says nothing. */
const SHARED_APIS = /^(openai|anthropic)\b/;

/**
 * Names the provider of a model whose library names the API that it speaks: `openai` at the address of Groq is `groq`.
 *
 * @param address `undefined`: the library does not show it
 * @param named as the library names it
 */
export function findModelProvider(address: unknown, named: unknown): string | undefined {
  const name = typeof named === 'string' ? named : undefined;
  if (address === undefined || address === null) return name;
  const found = findProvider(address);
  if (found !== undefined) return name?.startsWith(found) === true ? name : found;
  return name !== undefined && SHARED_APIS.test(name) ? undefined : name;
}
