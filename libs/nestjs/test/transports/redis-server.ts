import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExternalServer, startServer } from './external-server.js';

/** A Redis without persistence. */
export async function startRedis(): Promise<ExternalServer> {
  const dir = mkdtempSync(join(tmpdir(), 'dacapo-redis-'));
  const { port, close } = await startServer('redis-server', (chosen) => [
    '--port',
    String(chosen),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--dir',
    dir,
  ]);
  return {
    port,
    close: async () => {
      await close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
