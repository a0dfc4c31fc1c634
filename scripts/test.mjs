import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { runMain } from './progress.mjs';
import { ROOT } from './workspace.mjs';

const chosen = process.argv.slice(2);
/** `npm test` runs the packages' tests, and `npm test -- test/scopes` that one. */
const PACKAGES = ['--roots', 'libs', '--roots', 'sample-app'];
const namesTests = chosen.some((argument) => !argument.startsWith('-'));

await runMain(prepare);
const jest = spawnSync(
  process.execPath,
  [join(ROOT, 'node_modules/jest/bin/jest.js'), ...(namesTests ? [] : PACKAGES), ...chosen],
  { stdio: 'inherit' },
);
process.exit(jest.status ?? 1);
