import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runNpm } from './npm.mjs';
import { runMain } from './progress.mjs';
import { ROOT, withDependencies } from './workspace.mjs';

/**
 * Packs built libraries, with those that they depend on, as a stage.
 *
 * @param names folder names, such as `['nestjs']`
 * @returns the dependencies of an application on the tarballs, as `{ '@dacapo/nestjs': 'file:/…/dacapo-nestjs-0.1.0.tgz' }`
 */
export async function pack(names, folder) {
  mkdirSync(folder, { recursive: true });
  const manifests = withDependencies(names).map(({ manifest }) => manifest);
  const workspaces = manifests.flatMap(({ name }) => ['-w', name]);
  await runNpm('Packing', ['pack', ...workspaces, '--pack-destination', folder], { cwd: ROOT });
  const fileName = ({ name, version }) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  return Object.fromEntries(
    manifests.map((manifest) => [manifest.name, `file:${join(folder, fileName(manifest))}`]),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder, ...names] = process.argv.slice(2);
  await runMain(async () => {
    process.stdout.write(JSON.stringify(await pack(names, folder)));
  });
}
