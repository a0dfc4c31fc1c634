import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from './program.js';
import { removeFolder } from '../support/remove-folder.js';

interface Ready {
  readonly url: string;
  readonly apiKey: string;
  readonly dashboardUrl: string;
}

export interface DacapoServe extends Ready {
  /** Environment variables for a traced program. */
  readonly env: { TRACER_API_KEY: string; TRACER_SERVICE_URL: string };
  /** Returns the response body. */
  get<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

/** Runs the built `dacapo serve` on an empty database. */
export async function startDacapoServe(): Promise<DacapoServe> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dacapo-serve-'));
  const args = ['serve', '--json', '--port', '0', '--data-dir', dataDir];
  const [program, ready] = await Program.start<Ready>('libs/cli/bin/dacapo.cjs', args);
  return {
    ...ready,
    env: { TRACER_API_KEY: ready.apiKey, TRACER_SERVICE_URL: ready.url },
    get: async <T>(path: string) => {
      const response = await fetch(`${ready.url}/api/v1${path}`, { headers: { 'API-Key': ready.apiKey } });
      expect(response.status).toBe(200);
      return (await response.json()) as T;
    },
    close: async () => {
      await program.stop();
      await removeFolder(dataDir);
    },
  };
}
