import { type Command, Option } from 'commander';
import { ApiKeyMissingError, UsageError } from '../errors.js';
import type { CliIo } from '../io.js';

const DEFAULT_URL = 'http://127.0.0.1:4100';

/** The address of the service, and the API key. */
export interface Connection {
  readonly url: string;
  readonly apiKey: string;
}

export interface ConnectionOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly json?: true;
}

/** Adds the options of every command that asks the service. */
export function withConnection(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', `the service's address (TRACER_SERVICE_URL; ${DEFAULT_URL})`))
    .addOption(new Option('--api-key <key>', 'the API key (TRACER_API_KEY)'))
    .option('--json', 'print JSON for machines');
}

/**
 * Options override environment variables, which override the default.
 *
 * @throws UsageError when the address is not an http(s) URL
 * @throws ApiKeyMissingError when the key is missing or blank
 */
export function resolveConnection(options: ConnectionOptions, env: CliIo['env']): Connection {
  const url = resolveUrl(options, env);
  const apiKey = (options.apiKey ?? env.TRACER_API_KEY ?? '').trim();
  if (apiKey === '') throw new ApiKeyMissingError();
  return { url, apiKey };
}

/** @throws UsageError when the address is not an http(s) URL */
export function resolveUrl(options: ConnectionOptions, env: CliIo['env']): string {
  const url = (options.url ?? env.TRACER_SERVICE_URL ?? DEFAULT_URL).trim().replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`"${url}" is not the address of a service: it must look like ${DEFAULT_URL}.`);
  }
  return url;
}
