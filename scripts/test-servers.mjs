/**
 * Runs the tests that need a server from outside npm: `*.redis.ts`, `*.nats.ts`, `*.postgres.ts`, and `*.nginx.ts`, which need PostgreSQL, too.
 *
 *   npm run test:servers -- [--kills 100]
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './workspace.mjs';

const SERVERS = { redis: 'redis-server', nats: 'nats-server', postgres: 'initdb', nginx: 'nginx' };

const { kills } = parseArgs({ options: { kills: { type: 'string' } } }).values;
const env = { ...process.env, ...(kills !== undefined && { DACAPO_KILLS: kills }) };

let failed = false;
for (const [suffix, program] of Object.entries(SERVERS)) {
  if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined) {
    process.stdout.write(`Skipped *.${suffix}.ts: ${program} is not on the PATH.\n`);
    continue;
  }
  const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--testRegex', `\\.${suffix}\\.ts$`];
  const { status } = spawnSync(process.execPath, jest, { cwd: ROOT, env, stdio: 'inherit' });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
