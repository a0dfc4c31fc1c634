import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { CliIo } from '../io.js';
import { type ProjectConfig, replaySettingsFor } from '../project-config/project-config.js';
import { resolveConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { NothingToProveError } from './errors.js';
import { findOtherCalls } from './other-calls.js';
import { type ProofCase, toProofName } from './prove-cases.js';
import type { ProveWords } from './prove-words.js';

/** Recordings of other calls with the key of a case, in a file beside its proof. */
export interface OtherRecordings {
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly path: string;
  readonly sha256: string;
  /** Outermost calls. */
  readonly calls: number;
}

/**
 * Writes the recordings of other calls. A file that exists stays, so that nobody draws until the calls fit.
 *
 * @returns `undefined` if no other call is wanted
 * @throws NothingToProveError, ProjectConfigError, KeyNotConfiguredError, CassetteFileError
 */
export async function provideOthers(
  { key, name, traceId }: ProofCase,
  words: ProveWords,
  {
    io,
    config,
    notify,
  }: {
    readonly io: CliIo;
    readonly config: ProjectConfig | undefined;
    readonly notify: (text: string) => void;
  },
): Promise<OtherRecordings | undefined> {
  if (words.others === 0) return undefined;
  if (config?.replay === undefined)
    throw new NothingToProveError(
      'dacapo.config.json does not say how other calls are replayed',
      'Add "replay": { "module": "src/replay.js", "keys": ["*"] }, where the module exports the wrapped functions. Or pass --others 0, and the proof says that no other call was replayed.',
    );
  replaySettingsFor(config, key);
  const file = posix.join(words.out, `${toProofName(name)}.ndjson`);
  const path = join(process.cwd(), file);
  if (existsSync(path)) notify(`Using the other calls in ${file}. Delete it to read them again.`);
  else await writeOthers(path, { key, traceId, words, io });
  return readOthers(file, path, key);
}

async function writeOthers(
  path: string,
  {
    key,
    traceId,
    words,
    io,
  }: {
    readonly key: string;
    readonly traceId: string | undefined;
    readonly words: ProveWords;
    readonly io: CliIo;
  },
): Promise<void> {
  const { writeCassette } = await import('@dacapo/testing/internal');
  const client = new ServiceClient(resolveConnection(words, io.env));
  const calls = await findOtherCalls(client, { key, except: traceId, count: words.others });
  if (calls.length === 0)
    throw new NothingToProveError(
      `The service has no other successful call with the key ${JSON.stringify(key)} that can be replayed and compared`,
      'Pass --others 0, and the proof says that no other call was replayed.',
    );
  writeCassette(path, { calls });
}

/** @throws NothingToProveError if the file has calls of another key; CassetteFileError */
export async function readOthers(file: string, path: string, key: string): Promise<OtherRecordings> {
  const { hashCassette, readCassette, toRecordedRoots } = await import('@dacapo/testing/internal');
  const roots = toRecordedRoots(readCassette(path));
  if (roots.some((root) => root.key !== key))
    throw new NothingToProveError(`${file} has calls of another key`, 'Delete it to read the calls again.');
  return { file, path, sha256: hashCassette(path), calls: roots.length };
}
