/**
 * Runs the tests of storage engines from outside npm's tree, `*.clickhouse.ts`: `npm run test:engines [-- <arguments of Jest>]`. ClickHouse's engine is
 * installed separately, unless `DACAPO_TEST_CLICKHOUSE` is the address of a server.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPackages } from './npm.mjs';
import { runMain } from './progress.mjs';
import { ROOT } from './workspace.mjs';

await runMain(async () => {
  if (process.env.DACAPO_TEST_CLICKHOUSE === undefined) {
    await installPackages("Installing ClickHouse's engine", ['ci'], { cwd: join(ROOT, 'test/engines') });
  }
  const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--testRegex', '\\.clickhouse\\.ts$'];
  const { status } = spawnSync(process.execPath, [...jest, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
});
