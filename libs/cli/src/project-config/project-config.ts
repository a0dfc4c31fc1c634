import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ProtocolError } from '@dacapo/protocol';
import { check } from '@dacapo/protocol/api';
import { DEFAULT_DIRECTORY } from '../cassettes/default-directory.js';
import { CONFIG_SCHEMA } from './config-schema.js';
import { KeyNotConfiguredError, ProjectConfigChangedError, ProjectConfigError } from './errors.js';

export const CONFIG_FILE = 'dacapo.config.json';

const EXAMPLE = '{"replay":{"module":"dist/support.js","keys":["support.*"]}}';

/** What a replay may run. */
export interface ReplaySettings {
  /** The module that exports the functions or the Nest module, relative to the project. */
  readonly module: string;
  /** The export to replay. Default: the function with the key, or the Nest module. */
  readonly export: string | undefined;
  /** Arguments of Node before the program, such as `--import tsx`. */
  readonly node: readonly string[];
  /** Files and folders that the module is built from. */
  readonly sources: readonly string[];
  /** Trace function keys; `*` stands for any characters. */
  readonly keys: readonly string[];
  /** What runs in spite of the recording, as in `--live`. */
  readonly live: readonly string[];
  /** US$ that live model calls may cost. */
  readonly maxUsd: number;
}

export interface TestSettings {
  /** The program with its arguments. */
  readonly command: readonly string[];
  /** The folder of cassettes, relative to the project. */
  readonly cassettes: string;
}

/** The content of `dacapo.config.json`. */
export interface ProjectConfig {
  /** Absolute: paths of the configuration are relative to it. */
  readonly folder: string;
  readonly file: string;
  /** SHA-256 of the file's bytes, in hex. */
  readonly hash: string;
  readonly replay: ReplaySettings | undefined;
  readonly test: TestSettings | undefined;
  /** Commands that make a fresh checkout ready, in order. */
  readonly prepare: readonly (readonly string[])[];
}

/**
 * Reads the configuration in a folder.
 *
 * @throws ProjectConfigError when it is missing or invalid
 */
export function readProjectConfig(folder = process.cwd()): ProjectConfig {
  const file = join(resolve(folder), CONFIG_FILE);
  const bytes = readBytes(file);
  const { replay, test, prepare = [] } = parseConfig(file, bytes.toString('utf8'));
  return {
    folder: resolve(folder),
    file,
    hash: hashBytes(bytes),
    replay: replay && {
      module: replay.module,
      export: replay.export,
      node: replay.node ?? [],
      sources: replay.sources ?? ['src'],
      keys: replay.keys,
      live: replay.live ?? [],
      maxUsd: replay.maxUsd ?? 0,
    },
    test: test && { command: test.command, cassettes: test.cassettes ?? DEFAULT_DIRECTORY },
    prepare,
  };
}

/**
 * Like `readProjectConfig`, for commands that can do without.
 *
 * @returns `undefined` when the file does not exist
 * @throws ProjectConfigError when it is invalid
 */
export function findProjectConfig(folder = process.cwd()): ProjectConfig | undefined {
  return existsSync(join(folder, CONFIG_FILE)) ? readProjectConfig(folder) : undefined;
}

/** @throws ProjectConfigChangedError when the file has other bytes than were read, or cannot be read any more */
export function checkUnchanged({ file, hash }: ProjectConfig): void {
  let now: string | undefined;
  try {
    now = hashBytes(readFileSync(file));
  } catch {
    now = undefined;
  }
  if (now !== hash) throw new ProjectConfigChangedError(CONFIG_FILE);
}

/**
 * @throws ProjectConfigError when the configuration does not say what a replay runs
 * @throws KeyNotConfiguredError when it does not allow the key
 */
export function replaySettingsFor({ replay }: ProjectConfig, key: string): ReplaySettings {
  if (replay === undefined)
    throw new ProjectConfigError(CONFIG_FILE, 'has no "replay"', `Add it, for example ${EXAMPLE}`);
  if (!replay.keys.some((pattern) => matchesPattern(pattern, key)))
    throw new KeyNotConfiguredError(key, CONFIG_FILE, replay.keys);
  return replay;
}

/** @throws ProjectConfigError when the configuration does not name the command of the tests */
export function testSettings({ test }: ProjectConfig): TestSettings {
  if (test !== undefined) return test;
  throw new ProjectConfigError(
    CONFIG_FILE,
    'has no "test"',
    'Add it, for example {"test":{"command":["npx","jest"]}}',
  );
}

function matchesPattern(pattern: string, key: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return key === pattern;
  if (!key.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = key.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return key.length - last.length >= from && key.endsWith(last);
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw ProjectConfigError.unreadable(file, EXAMPLE, cause);
  }
}

function parseConfig(file: string, text: string): ReturnType<typeof checkConfig> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new ProjectConfigError(file, `is not JSON: ${problem}`, `Write it like ${EXAMPLE}`, { cause });
  }
  try {
    return checkConfig(json);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new ProjectConfigError(file, error.message.trim(), 'Correct it.', { cause: error });
  }
}

const checkConfig = (json: unknown) => check(CONFIG_SCHEMA, json);

function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
