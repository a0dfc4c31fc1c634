import { InvalidOptionError } from '../errors.js';
import { refuseUnknownOptions } from '../option-names.js';

/** Another model than the source names. The key comes from `options`, else from the provider's usual variable in `envVars`. */
export interface ModelClient {
  /** As BAML names it: `openai`, `anthropic`, `google-ai`, `openai-generic`, … */
  provider: string;
  model: string;
  /** Further settings of the provider, such as `base_url`, `api_key`, `temperature`. */
  options?: Readonly<Record<string, unknown>> | undefined;
}

export interface CallOptions {
  /** The version to run. Default: the active one. */
  version?: number | undefined;
  /** A client that the source declares, by name, or one of your own. Default: the one that the function names. */
  client?: string | ModelClient | undefined;
  /** Short for a client: `openai/gpt-4o-mini`. */
  model?: string | undefined;
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Names a client for this call only: one that the source declares keeps its own settings. */
const OVERRIDE_NAME = 'DacapoCallClient';

export interface ResolvedClient {
  /** What is to be primary. */
  readonly name: string;
  /** Absent: a client of the source. */
  readonly client: ModelClient | undefined;
}

const NAMES = { version: true, client: true, model: true, signal: true } satisfies Record<
  keyof CallOptions,
  true
>;

/** @throws InvalidOptionError when an option of the call cannot work. */
export function resolveClient(options: CallOptions): ResolvedClient | undefined {
  refuseUnknownOptions('', options, Object.keys(NAMES));
  const { client, model } = options;
  if (client !== undefined && model !== undefined) {
    throw new InvalidOptionError('model', 'stands beside client', 'Pass one of the two.');
  }
  if (typeof client === 'string') return { name: client, client: undefined };
  const chosen = client ?? (model === undefined ? undefined : parseModel(model));
  return chosen && { name: OVERRIDE_NAME, client: chosen };
}

export function checkVersion(version: number | undefined): void {
  if (version === undefined || (Number.isInteger(version) && version > 0)) return;
  throw new InvalidOptionError(
    'version',
    `must be a whole number from 1 up, not ${String(version)}`,
    'Leave it out for the active version.',
  );
}

function parseModel(text: string): ModelClient {
  const slash = text.indexOf('/');
  if (slash > 0 && slash < text.length - 1) {
    return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
  }
  throw new InvalidOptionError(
    'model',
    `must name provider and model, not ${JSON.stringify(text)}`,
    "Write it like 'openai/gpt-4o-mini'.",
  );
}
