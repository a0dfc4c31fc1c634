import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './npm.mjs';
import { readJson, ROOT } from './workspace.mjs';

const NEEDED_NODE = [20, 19];

/** Installs the packages in package-lock.json that are missing. Call it inside `runMain`. */
export async function installWhatIsMissing() {
  requireNode();
  if (!isInstalled()) await install();
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])) return;
  process.stderr.write(
    `Dacapo needs Node ${NEEDED_NODE.join('.')} or newer; this is ${process.version}. ` +
      'Install a current release from https://nodejs.org (or `nvm install 22`) and run the command again.\n',
  );
  process.exit(1);
}

/** Compares npm's own record of installed packages with package-lock.json. */
function isInstalled() {
  const installedPath = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(installedPath)) return false;
  const installed = readJson(installedPath).packages;
  const wanted = readJson(join(ROOT, 'package-lock.json')).packages;
  return Object.entries(wanted)
    .filter(([path]) => path.includes('node_modules/'))
    .every(([path, { version, integrity, optional }]) => {
      const found = installed[path];
      if (found === undefined) return optional === true;
      return found.version === version && found.integrity === integrity;
    });
}

/** Runs `npm ci` on a fresh clone. Later installs only changed packages, also at their locked versions. */
async function install() {
  const command = existsSync(join(ROOT, 'node_modules')) ? ['install', '--no-save'] : ['ci'];
  await installPackages('Installing packages', command, {
    cwd: ROOT,
    hint: 'the first time takes a minute or two',
    cure:
      'If npm could not reach its registry, check the network, HTTPS_PROXY and `npm config get registry`. ' +
      'Then run the command again.',
  });
  if (isInstalled()) return;
  process.stderr.write(
    '! package.json and package-lock.json disagree. Run `npm install` and commit the lock file.\n',
  );
}
