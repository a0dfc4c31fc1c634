import { InvalidOptionError } from '../errors.js';
import { resolveOptions } from './check-options.js';
import { type GivenOptions, option } from './option.js';

/** A model to use instead of the one in the source. The key comes from `options`, otherwise from the provider's usual variable in `envVars`. */
export interface ModelClient {
  /** BAML's name of the provider: `openai`, `anthropic`, `google-ai`, `openai-generic`, … */
  provider: string;
  model: string;
  /** Further settings of the provider, such as `base_url`, `api_key`, `temperature`. */
  options?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of one call of a native function. */
export const CALL_OPTIONS = {
  /** The version to run. */
  version: option<number>({
    takes: 'a whole number of at least 1',
    defaultText: 'the active one',
    accepts: (value): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0,
    cure: 'Omit it for the active version.',
  }),
  /** Name of a client in the source, or a client of your own: `{ provider, model, options }`. */
  client: option<string | ModelClient>({
    takes: 'the name of a client or { provider, model }',
    defaultText: 'the client that the function names',
    accepts: (value): value is string | ModelClient =>
      typeof value === 'string' || (typeof value === 'object' && value !== null),
    cure: "Write it like { provider: 'openai', model: 'gpt-4o-mini' }.",
  }),
  /** Short form of `client`: `openai/gpt-4o-mini`. */
  model: option<string>({
    takes: 'provider and model',
    accepts: (value): value is string => typeof value === 'string' && /^[^/]+\/.+$/s.test(value),
    cure: "Write it like 'openai/gpt-4o-mini'.",
  }),
  /** Aborts the call, which rejects with the signal's reason. */
  signal: option<AbortSignal>({
    takes: 'an AbortSignal',
    accepts: (value): value is AbortSignal =>
      typeof value === 'object' && value !== null && 'aborted' in value,
    cure: 'Pass the signal of an AbortController.',
  }),
};

export type CallOptions = GivenOptions<typeof CALL_OPTIONS>;

export interface ResolvedClient {
  /** The name of the primary client. */
  readonly name: string;
  /** Absent for a client that the source declares. */
  readonly client: ModelClient | undefined;
}

/** The name of a client for this call only. Clients that the source declares keep their settings. */
const OVERRIDE_NAME = 'DacapoCallClient';

/** @throws InvalidOptionError when an option of the call is invalid */
export function resolveClient(callOptions: CallOptions): ResolvedClient | undefined {
  const { client, model } = resolveOptions('', CALL_OPTIONS, callOptions);
  if (client !== undefined && model !== undefined)
    throw new InvalidOptionError('model', 'cannot be combined with client', 'Pass one of the two.');
  if (typeof client === 'string') return { name: client, client: undefined };
  const chosen = client ?? (model === undefined ? undefined : parseModel(model));
  return chosen && { name: OVERRIDE_NAME, client: chosen };
}

function parseModel(text: string): ModelClient {
  const slash = text.indexOf('/');
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}
