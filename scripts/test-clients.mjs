/** Runs the tests of older clients, which are installed separately: `npm run test:clients [-- <arguments of Jest>]`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { installPackages } from './npm.mjs';
import { runMain } from './progress.mjs';
import { ROOT } from './workspace.mjs';

await runMain(async () => {
  // Mastra agents run in a separate process with the built package.
  await build(['tracer']);
  await installPackages('Installing older clients', ['ci'], { cwd: join(ROOT, 'test/clients') });
  await installPackages('Installing agents', ['ci'], { cwd: join(ROOT, 'test/clients/agents') });
  await installPackages('Installing senders of OpenTelemetry', ['ci'], {
    cwd: join(ROOT, 'test/clients/otlp'),
  });
  const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', 'jest.clients.config.cjs'];
  const { status } = spawnSync(process.execPath, [...jest, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
});
