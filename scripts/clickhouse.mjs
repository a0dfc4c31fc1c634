import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './npm.mjs';
import { readJson, ROOT } from './workspace.mjs';

const FOLDER = join(ROOT, 'test/engines');
const PACKAGE = 'node_modules/@chdb/lib-linux-x64-gnu';

/** Installs ClickHouse's engine as a library of 540 MB, unless it is installed or `DACAPO_TEST_CLICKHOUSE` names a server. */
export async function installClickHouse() {
  if (process.env.DACAPO_TEST_CLICKHOUSE !== undefined) return;
  const installed = join(FOLDER, PACKAGE, 'package.json');
  const { version } = readJson(join(FOLDER, 'package-lock.json')).packages[PACKAGE];
  if (existsSync(installed) && readJson(installed).version === version) return;
  await installPackages("Installing ClickHouse's engine", ['ci'], { cwd: FOLDER });
  // npm reports no error for an optional package that it cannot install.
  if (!existsSync(installed)) {
    throw new Error(
      "npm did not install ClickHouse's engine, which needs Linux x64 with glibc. Set DACAPO_TEST_CLICKHOUSE=clickhouse://…, or skip it: --engines sqlite,postgres",
    );
  }
}
