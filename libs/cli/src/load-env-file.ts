import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Adds the variables of `.env` in the working directory that `env` lacks. A missing or unreadable file adds nothing.
 *
 * If `env` has a key, the service's address is not read from the file: a key from the shell goes only to an address from there.
 */
export function loadEnvFile(env: NodeJS.ProcessEnv, folder = process.cwd()): void {
  const hasKey = env.TRACER_API_KEY !== undefined;
  for (const [name, value] of Object.entries(readVariables(folder)))
    if (!(name in env) && !(hasKey && name === 'TRACER_SERVICE_URL')) env[name] = value;
}

function readVariables(folder: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(`${folder}/.env`, 'utf8'));
  } catch {
    return {};
  }
}
