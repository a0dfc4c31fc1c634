/** The client that `baml-cli` generated from baml_src, quiet: the runtime logs every prompt to stdout by default. */
import { setLogLevel } from '@boundaryml/baml/logging';

setLogLevel('OFF');

export { b } from '../baml_client/index.js';
export { b as syncClient } from '../baml_client/sync_client.js';

/**
 * Names the server and the key that its models are asked with. By the environment: `env` among the options of a client is
 * not read by every version.
 */
export function useModelServer(url: string, key = 'sk-secret'): void {
  Object.assign(process.env, { MODEL_URL: `${url}/v1`, MODEL_HOST: url, MODEL_KEY: key });
}
