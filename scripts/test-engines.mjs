/**
 * Runs the contract suites of storage, the tests of services and those of migrations on each engine; with ClickHouse, some tests of the page
 * and the sample app, too, on PostgreSQL with spans on ClickHouse.
 *
 *   npm run test:engines -- [--engines sqlite,postgres,clickhouse] [arguments of Jest]
 *
 * PostgreSQL is the server at `DACAPO_TEST_POSTGRES`, or one that `initdb` of the PATH makes. ClickHouse is the server at
 * `DACAPO_TEST_CLICKHOUSE`, or its engine as a library, which is installed separately.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installClickHouse } from './clickhouse.mjs';
import { runMain } from './progress.mjs';
import { ROOT } from './workspace.mjs';

const SUITES = {
  sqlite: '(storage-contracts\\.spec|services\\.sqlite|migration\\.spec)',
  postgres: '(storage-contracts|services|migration)\\.postgres',
  clickhouse: '[\\w-]+\\.clickhouse',
};

/** Prepares an engine for its tests. */
const PREPARE = {
  sqlite: () => undefined,
  postgres: () => {
    if (process.env.DACAPO_TEST_POSTGRES !== undefined) return;
    if (spawnSync('initdb', ['--version'], { stdio: 'ignore' }).error === undefined) return;
    throw new Error(
      'initdb of PostgreSQL is not on the PATH. Put it there, set DACAPO_TEST_POSTGRES=postgres://…, or leave it out: --engines sqlite',
    );
  },
  clickhouse: async () => {
    PREPARE.postgres();
    await installClickHouse();
  },
};

await runMain(async () => {
  const { values, tokens } = parseArgs({
    options: { engines: { type: 'string', default: Object.keys(SUITES).join() } },
    strict: false,
    tokens: true,
  });
  const unknown = values.engines.split(',').filter((name) => !Object.hasOwn(SUITES, name));
  if (unknown.length > 0) {
    throw new Error(`Unknown engine ${unknown.join(', ')}. Expected: ${Object.keys(SUITES).join(', ')}.`);
  }
  const engines = values.engines.split(',');
  for (const name of engines) await PREPARE[name]();
  // Processes, the page and the sample app run from the build output.
  await build();
  const named = tokens.find(({ name }) => name === 'engines');
  const rest = process.argv.slice(2);
  if (named !== undefined) rest.splice(named.index, named.inlineValue ? 1 : 2);
  const pattern = engines.map((name) => SUITES[name]).join('|');
  const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--testRegex', `/(${pattern})\\.ts$`];
  const { status } = spawnSync(process.execPath, [...jest, ...rest], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = status ?? 1;
});
