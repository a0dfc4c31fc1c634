import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FileUnwritableError } from '../errors.js';

/** Writes a file, and the folders above it. @throws FileUnwritableError */
export async function writeOutput(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
    await writeFile(path, text);
  } catch (cause) {
    throw new FileUnwritableError(path, { cause });
  }
}
