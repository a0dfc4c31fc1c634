import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

export interface ProgramPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Ends the program with all processes that it started. */
  readonly signal?: AbortSignal | undefined;
}

/** How a program ended. */
export interface ProgramEnd {
  /** `null` after a signal, and if it could not be started. */
  readonly code: number | null;
  readonly isTimedOut: boolean;
  /** Complete. */
  readonly stdout: string;
  /** The end of what it printed to stdout and stderr. */
  readonly log: string;
}

const MOST_OUTPUT = 32 * 1024 * 1024;
const KEPT_LOG = 4_000;
/** A process that left the group may keep a pipe open. */
const PIPES_CLOSE_MS = 1_000;

/**
 * Runs a program without a shell and reads its output. The program has no stdin. It ends with everything that it started: at its timeout,
 * and when `signal` aborts.
 *
 * @param command the program and its arguments
 * @throws the reason of an aborted `signal`
 */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { cwd, env, timeoutMs, signal }: ProgramPlace,
): Promise<ProgramEnd> {
  signal?.throwIfAborted();
  const isGroup = process.platform !== 'win32';
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: isGroup });
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(isGroup ? -child.pid : child.pid, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    kill();
  }, timeoutMs);
  signal?.addEventListener('abort', kill, { once: true });
  let [stdout, log] = ['', ''];
  const pipes = [child.stdout, child.stderr].map((pipe: Readable, index) => {
    pipe.setEncoding('utf8').on('data', (text: string) => {
      if (index === 0) stdout = (stdout + text).slice(-MOST_OUTPUT);
      log = (log + text).slice(-KEPT_LOG);
    });
    return once(pipe, 'close');
  });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    // Nothing that it started outlives it, such as a server of a test.
    kill();
    await Promise.race([Promise.all(pipes), new Promise((done) => setTimeout(done, PIPES_CLOSE_MS).unref())]);
    signal?.throwIfAborted();
    return { code, isTimedOut, stdout, log };
  } catch (error) {
    if (signal?.aborted === true || child.pid !== undefined) throw error;
    return { code: null, isTimedOut, stdout, log: `${program} could not be started: ${String(error)}` };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  }
}

/** Variables that would point a program at another repository, at the service, or at the runner that runs this process. */
const NOT_INHERITED =
  /^(GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE)|TRACER_(API_KEY|SERVICE_URL)|NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST.*|DACAPO_.*)$/;

/** The environment of a program of the project: it reaches no service, and writes no cassettes and snapshots. */
export function projectEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_INHERITED.test(name)));
  return { ...kept, CI: 'true', DACAPO_CASSETTES: 'replay', ...added };
}
