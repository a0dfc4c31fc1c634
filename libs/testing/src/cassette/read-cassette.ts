import { sha256 } from '@dacapo/tracer/engine';
import { existsSync, readFileSync } from 'node:fs';
import { CassetteFileError } from '../errors.js';
import type { Cassette } from './cassette.js';
import { toBlobFile } from './cassette-file.js';
import { readLines, UnreadableCassetteError } from './cassette-lines.js';

/** @throws CassetteFileError when the file is missing, damaged or of another format */
export function readCassette(file: string): Cassette {
  if (!existsSync(file))
    throw new CassetteFileError(
      file,
      'does not exist',
      'Record it once with DACAPO_CASSETTES=record, or write it with `dacapo cassettes pull`.',
    );
  try {
    return readLines(readFileSync(file, 'utf8'), (hash) => readBlob(file, hash));
  } catch (error) {
    if (!(error instanceof UnreadableCassetteError)) throw error;
    throw new CassetteFileError(file, error.problem, `${error.cure}.`);
  }
}

/** The SHA-256 of a cassette, whatever its line ends. It covers large values, because a line names theirs. */
export function hashCassette(file: string): string {
  return sha256(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'));
}

function readBlob(file: string, hash: string): string {
  const path = toBlobFile(file, hash);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  throw new UnreadableCassetteError(
    `is damaged: its large value ${path} is missing`,
    'Restore the folder from version control, or record it again',
  );
}
