/** Runs the tests of older clients, which are installed separately: `npm run test:clients [-- <arguments of Jest>]`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './workspace.mjs';

const run = (program, args, cwd) => spawnSync(program, args, { cwd, stdio: 'inherit' }).status ?? 1;

const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', 'jest.clients.config.cjs'];
process.exitCode =
  run('npm', ['ci', '--ignore-scripts'], join(ROOT, 'test/clients')) ||
  run(process.execPath, [...jest, ...process.argv.slice(2)], ROOT);
