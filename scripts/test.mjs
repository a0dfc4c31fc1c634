import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { runMain } from './progress.mjs';
import { ROOT } from './workspace.mjs';

await runMain(prepare);
const jest = spawnSync(
  process.execPath,
  [join(ROOT, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
);
process.exit(jest.status ?? 1);
