import { hasMembers } from '@dacapo/protocol';
import type { AnyFunction } from '../../recording/span-definition.js';
import type { BamlClient } from './baml-types.js';

/** The object of a generated client on which a method is called. */
export interface ClientMethod {
  readonly owner: BamlClient;
  readonly isStream: boolean;
}

/**
 * Finds the owner of `method` by identity: names do not help, because bound and compiled functions change theirs.
 *
 * `client.stream` is read as the field behind it: on a sync client the getter throws.
 *
 * @returns `undefined` if it is not a prompt function of the client, such as a bound or arrow function, or `withOptions`
 */
export function findClientMethod(client: unknown, method: AnyFunction): ClientMethod | undefined {
  if (!isBamlClient(client)) return undefined;
  if (isOwnMethod(client, method)) return { owner: client, isStream: isStreamClient(client) };
  const streamClient: unknown = Reflect.get(client, 'streamClient');
  return isBamlClient(streamClient) && isOwnMethod(streamClient, method)
    ? { owner: streamClient, isStream: true }
    : undefined;
}

function isBamlClient(client: unknown): client is BamlClient {
  return hasMembers(client) && 'bamlOptions' in client && hasMembers(client['runtime']);
}

/** Of its class, or of one that this is derived from. */
function isOwnMethod(client: object, method: AnyFunction): boolean {
  const prototype = Reflect.getPrototypeOf(client);
  if (prototype === null || prototype === Object.prototype) return false;
  const members = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  return (
    members.some(([name, { value }]) => value === method && !NOT_PROMPTS.has(name)) ||
    isOwnMethod(prototype, method)
  );
}

/** Only a full client builds clients of its own. */
function isStreamClient(client: BamlClient): boolean {
  return !('withOptions' in client);
}

const NOT_PROMPTS = new Set(['constructor', 'withOptions']);
