import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './npm.mjs';
import { runMain } from './progress.mjs';
import { ROOT } from './workspace.mjs';

/**
 * Shows docs/ as a site: `npm run docs` serves it, `npm run docs:build` writes it to docs/dist and fails on dead links. The generator
 * has its own lock file in docs/ and is installed at its first use.
 */
const DOCS = join(ROOT, 'docs');
const VITEPRESS = join(DOCS, 'node_modules/vitepress/bin/vitepress.js');
const [command = 'dev'] = process.argv.slice(2);

await runMain(async () => {
  if (!existsSync(VITEPRESS)) await installPackages('Installing the site generator', ['ci'], { cwd: DOCS });
  const vitepress = spawn(process.execPath, [VITEPRESS, command, DOCS], { stdio: 'inherit' });
  const [code] = await once(vitepress, 'close');
  process.exitCode = code ?? 1;
});
