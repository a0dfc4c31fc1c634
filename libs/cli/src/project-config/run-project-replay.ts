import { isJsonObject, type JsonObject } from '@dacapo/protocol';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';
import type { ReportedRun } from '../io.js';
import { ReplayNotStartedError } from '../replay/errors.js';
import type { FinishedRun } from '../replay/run-report.js';
import type { Connection } from '../service/connection.js';
import { decideExitCode, startSupervised } from '../supervision/supervised-process.js';
import {
  checkUnchanged,
  type ProjectConfig,
  replaySettingsFor,
  type ReplaySettings,
} from './project-config.js';

/** Calls to replay: keys and ids, nothing that decides what runs. */
export interface ProjectReplayRequest {
  readonly key: string;
  /** Calls in these traces, in this order. Default: the newest calls of the key. */
  readonly traceIds?: readonly string[];
  /** Default: all selected calls. */
  readonly limit?: number;
  /** The name of the test run. */
  readonly name?: string;
  /** US$ that live model calls may cost. Default: that of the configuration. */
  readonly maxUsd?: number;
}

export interface ProjectReplayPlace {
  readonly connection: Connection;
  /** The path of this command's program. */
  readonly program: string;
  /** Where the project's code is. Default: the folder of the configuration. */
  readonly folder?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the replay and all processes that it started. */
  readonly signal?: AbortSignal;
}

/** The result of a replay, as `dacapo replay --json` prints it. `items` are those that are not `same`, or made other calls inside. */
export type ProjectRun = FinishedRun;

export interface ProjectReplayResult {
  /** 0 only if the child process confirmed success. */
  readonly exitCode: number;
  /** Absent when no test run began, or its result did not arrive. */
  readonly run?: ProjectRun;
  /** The state of the test run that the child reported. */
  readonly reported?: ReportedRun;
  /** Absent with exit code 0. */
  readonly error?: { readonly code: string; readonly message: string };
  /** The end of what the application printed. Anything can be in it. */
  readonly log: string;
}

/** The application may print more than a report has. */
const MOST_OUTPUT = 64 * 1024 * 1024;
const KEPT_LOG = 8_000;
/** How long a replay may report its end before it is killed. */
const STOPS_MS = 2_000;

/**
 * Replays recorded calls through the project's code in a child process. Everything inside a call is answered from the recording or
 * fails; only what the configuration lists as live runs or connects.
 *
 * @throws ProjectConfigChangedError, ProjectConfigError, KeyNotConfiguredError, and the reason of an aborted `signal`
 */
export async function runProjectReplay(
  config: ProjectConfig,
  request: ProjectReplayRequest,
  { connection, program, folder = config.folder, env, signal }: ProjectReplayPlace,
): Promise<ProjectReplayResult> {
  checkUnchanged(config);
  const settings = replaySettingsFor(config, request.key);
  signal?.throwIfAborted();
  const { child, ended } = startSupervised(toWords(settings, request, folder), {
    node: settings.node,
    program,
    cwd: folder,
    env: { ...env, TRACER_SERVICE_URL: connection.url, TRACER_API_KEY: connection.apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const out = collect(child.stdout, MOST_OUTPUT);
  const log = collect(child.stderr, KEPT_LOG);
  const end = (): void => {
    kill(child.pid, 'SIGTERM');
    setTimeout(() => {
      kill(child.pid, 'SIGKILL');
    }, STOPS_MS).unref();
  };
  signal?.addEventListener('abort', end, { once: true });
  try {
    const { exitCode, run: reported, error } = decideExitCode('replay', await ended, undefined);
    await Promise.race([Promise.all([out.closed, log.closed]), sleep(STOPS_MS)]);
    signal?.throwIfAborted();
    const run = findRun(out.text(), reported);
    const isComplete = exitCode === EXIT_CODES.success && run !== undefined;
    return {
      exitCode: isComplete ? exitCode : exitCode || EXIT_CODES.failure,
      ...(run && { run }),
      ...(reported && { reported }),
      ...(!isComplete && { error: describeFailure(error, log.text()) }),
      log: log.text(),
    };
  } catch (cause) {
    if (signal?.aborted || child.pid !== undefined) throw cause;
    throw new ReplayNotStartedError({ cause });
  } finally {
    signal?.removeEventListener('abort', end);
    if (signal?.aborted) kill(child.pid, 'SIGKILL');
  }
}

function toWords(settings: ReplaySettings, request: ProjectReplayRequest, folder: string): string[] {
  const { key, traceIds = [], limit, name, maxUsd = settings.maxUsd } = request;
  const { module, export: exportName, live } = settings;
  return [
    'replay',
    resolve(folder, module),
    `--key=${key}`,
    ...(exportName === undefined ? [] : [`--export=${exportName}`]),
    ...traceIds.map((id) => `--trace-id=${id}`),
    ...(limit === undefined ? [] : [`--limit=${limit}`]),
    ...(name === undefined ? [] : [`--name=${name}`]),
    '--mock=all',
    '--on-mock-miss=fail',
    '--network=deny',
    '--json',
    ...live.map((word) => `--live=${word}`),
    // One call after the other, so that the budget is checked between them.
    ...(live.length === 0 ? [] : ['--concurrency=1', `--max-usd=${maxUsd}`]),
  ];
}

/** Reads a stream to its end. Keeps the last characters. */
function collect(stream: Readable | null, most: number): { text: () => string; closed: Promise<unknown> } {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-most)));
  stream?.on('error', () => undefined);
  return { text: () => text, closed: stream === null ? Promise.resolve() : once(stream, 'close') };
}

/** Ends the child with all processes that it started. */
function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // All of them have ended.
  }
}

/** The report among the lines that the application may have printed: that of the test run which the child announced. */
function findRun(printed: string, reported: ReportedRun | undefined): ProjectRun | undefined {
  return parseLines(printed).findLast(
    (json) =>
      json['testRunId'] === reported?.testRunId &&
      isJsonObject(json['totals']) &&
      Array.isArray(json['items']),
  ) as ProjectRun | undefined;
}

function describeFailure(error: CliError | undefined, log: string): { code: string; message: string } {
  const printed = parseLines(log).findLast((json) => isJsonObject(json['error']))?.['error'];
  const { code, message } = error ?? (printed as { code?: unknown; message?: unknown } | undefined) ?? {};
  return typeof code === 'string' && typeof message === 'string'
    ? { code, message }
    : { code: 'CLI_REPLAY_PROCESS_ENDED', message: 'The replay printed no result. Look at its log.' };
}

function parseLines(text: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const json: unknown = JSON.parse(line);
      return isJsonObject(json) ? [json] : [];
    } catch {
      return [];
    }
  });
}
