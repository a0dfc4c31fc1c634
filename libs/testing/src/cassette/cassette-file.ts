import { join, resolve, sep } from 'node:path';
import { CassetteSetupError } from '../errors.js';

const NAME = /^[\p{L}\p{N}_-][\p{L}\p{N}_. -]*(\/[\p{L}\p{N}_-][\p{L}\p{N}_. -]*)*$/u;
const LONGEST_NAME = 200;

/** The path of a cassette. @throws CassetteSetupError for a name that could leave the directory */
export function toCassetteFile(directory: string, name: string): string {
  const file = resolve(directory, `${name}.ndjson`);
  const isInside = file.startsWith(resolve(directory) + sep);
  if (NAME.test(name) && name.length <= LONGEST_NAME && isInside) return file;
  throw new CassetteSetupError(
    `The cassette name ${JSON.stringify(name)} is invalid. Use letters, digits, "-", "_", "." and spaces, and "/" for folders, such as "refund/late".`,
  );
}

/** The folder of the large values of a cassette. */
export function toBlobFolder(file: string): string {
  return file.replace(/\.ndjson$/, '.blobs');
}

/** @throws CassetteSetupError, because a file name comes from a cassette */
export function toBlobFile(file: string, hash: string): string {
  if (!HASH.test(hash)) throw new CassetteSetupError(`${JSON.stringify(hash)} is not a SHA-256.`);
  return join(toBlobFolder(file), hash);
}

const HASH = /^[0-9a-f]{64}$/;
