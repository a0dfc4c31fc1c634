import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Installs the SDKs separately, without install scripts. */
export function installPeers() {
  if (existsSync(`${HERE}node_modules`)) return;
  const { status } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: HERE,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new Error('npm could not install the SDKs. Run `npm install --ignore-scripts` in bench/peers.');
}
