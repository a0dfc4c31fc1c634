import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { SUBJECTS } from './peers.mjs';

const VERSION_OF_DACAPO = new URL('../../libs/tracer/package.json', import.meta.url);
const findManifest = (name) =>
  name === '@dacapo/tracer'
    ? VERSION_OF_DACAPO
    : new URL(`./node_modules/${name}/package.json`, import.meta.url);

/** Machine and versions of a measurement. */
export function conditions() {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`,
    node: process.version,
    versions: SUBJECTS.map(
      ({ package: name }) => `${name} ${JSON.parse(readFileSync(findManifest(name), 'utf8')).version}`,
    ),
  };
}
