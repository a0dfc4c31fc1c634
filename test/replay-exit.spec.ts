import { openSync, closeSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestRunRecord } from '@dacapo/protocol';
import { Tracer } from '@dacapo/tracer';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { type Answer, type Interference, ServiceProxy } from './replay-exit/service-proxy.js';
import { removeFolder } from './support/remove-folder.js';

const DACAPO = join(ROOT, 'libs/cli/bin/dacapo.cjs');
const ENTRY = 'test/replay-exit/entry.cjs';
const PASSES = ['--gate', '{"errors":0,"changed":0}'];

type Hooks = Partial<
  Record<'ON_LOAD' | 'ON_CALL' | 'ON_LAST_CALL' | 'ON_CLOSE' | 'ON_SCORE' | 'CHANGED', string>
>;

interface Attempt {
  readonly env?: Hooks & Record<string, string>;
  readonly args?: readonly string[];
  /** The whole command line, in place of that of a gate that passes. */
  readonly line?: readonly string[];
  /** A file to print to. */
  readonly stdout?: string;
  readonly during?: (child: ChildProcess) => void;
}

interface Ended {
  readonly exit: number | NodeJS.Signals;
  readonly err: string;
}

describe('the exit code of `dacapo replay`', () => {
  let service: DacapoServe;
  let folder: string;

  beforeAll(async () => {
    service = await startDacapoServe();
    folder = await mkdtemp(join(tmpdir(), 'dacapo-exit-'));
    const tracer = new Tracer({ apiKey: service.apiKey, serviceUrl: service.url });
    const work = tracer.withSpan('work', (n: number) => Promise.resolve(n));
    for (const n of [1, 2, 3]) await work(n);
    await tracer.shutdown();
    await writeFile(
      join(folder, 'preload.cjs'),
      "process.on('exit', () => { process.exitCode = 0; process.reallyExit(0); });\n",
    );
  });
  afterAll(async () => {
    await service.close();
    await removeFolder(folder);
  });

  /** Resolves when no process holds stderr any longer: an orphan would. */
  async function replay({ env = {}, args = [], line, stdout, during }: Attempt): Promise<Ended> {
    const file = stdout === undefined ? undefined : openSync(stdout, 'w');
    const words = line ?? ['replay', ENTRY, '--export', 'work', '--concurrency', '1', ...PASSES, ...args];
    const child = spawn(process.execPath, [DACAPO, ...words], {
      cwd: ROOT,
      env: { ...process.env, ...service.env, ...env },
      stdio: ['ignore', file ?? 'pipe', 'pipe'],
    });
    child.stdout?.resume();
    let err = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text));
    during?.(child);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (file !== undefined) closeSync(file);
    return { exit: code ?? signal!, err };
  }

  const runOf = (err: string): Promise<TestRunRecord> =>
    service.get(`/test-runs/${/Test run (\S+):/.exec(err)?.[1] ?? 'none'}`);

  it.each<[string, Attempt]>([
    ['a gate that passes', {}],
    ['no gate', { line: ['replay', ENTRY, '--export', 'work'] }],
    ['a dash before the command', { line: ['--', 'replay', ENTRY] }],
    [
      'code that sets an exit code, which the command sets again',
      { env: { ON_CALL: 'process.exitCode = 9' } },
    ],
    ['code that prints to stdout', { env: { ON_CALL: 'console.log("a line")' } }],
    [
      'code that prints to the channel',
      { env: { ON_CALL: 'require("fs").writeSync(3, "{\\n5\\nnull\\n[]\\n")' } },
    ],
    ['code that keeps the process alive', { env: { ON_CLOSE: 'setInterval(() => {}, 1e6)' } }],
    ['flags of Node', { env: { NODE_OPTIONS: '--max-old-space-size=300 --inspect=127.0.0.1:0' } }],
  ])('is 0 with %s', async (_, attempt) => {
    const { exit, err } = await replay(attempt);
    expect([exit, err]).toEqual([0, expect.stringMatching(/^[^]*Test run/)]);
    expect(await runOf(err)).toMatchObject({ status: 'finished' });
  });

  const CHANGED = { CHANGED: '1' };
  const later = (code: string): string => `setTimeout(() => { ${code} }, 300)`;
  const KILL = (signal: string): string => `process.kill(process.pid, ${JSON.stringify(signal)})`;
  const FULL = '/dev/full';

  describe('is not 0 when code of the application', () => {
    it.each<[string, number | NodeJS.Signals, Attempt]>([
      ['calls process.exit(0) while it is loaded', 1, { env: { ON_LOAD: 'process.exit(0)' } }],
      [
        'calls process.exit(0) soon after it is loaded',
        1,
        { env: { ON_LOAD: 'setImmediate(() => process.exit(0))' } },
      ],
      [
        'leaves nothing to wait for while it is loaded',
        1,
        { line: ['replay', 'test/replay-exit/never.cjs', '--key', 'work'] },
      ],
      ['calls process.exit(0) in a call', 1, { env: { ON_CALL: 'process.exit(0)' } }],
      ['calls process.exit(0) in the last call', 1, { env: { ON_LAST_CALL: 'process.exit(0)' } }],
      [
        'calls process.exit(0) soon after the last call',
        1,
        { env: { ON_LAST_CALL: 'setImmediate(() => process.exit(0))' } },
      ],
      [
        'calls process.exit(0) in an evaluator',
        1,
        { env: { ON_SCORE: 'process.exit(0)' }, args: ['--evaluators', 'test/replay-exit/evaluators.cjs'] },
      ],
      ['calls process.exit(0) while it closes', 1, { env: { ON_CLOSE: 'process.exit(0)' } }],
      [
        'calls process.exit(5) in a call, without a gate that failed',
        1,
        { env: { ON_CALL: 'process.exit(5)' } },
      ],
      ['calls process.reallyExit(0)', 1, { env: { ON_CALL: 'process.reallyExit(0)' } }],
      [
        'removes the listeners of exit, and exits',
        1,
        { env: { ON_CALL: "process.removeAllListeners('exit'); process.exit(0)" } },
      ],
      [
        'removes the listeners of signals, and is signalled',
        143,
        { env: { ON_CALL: `process.removeAllListeners('SIGTERM'); ${KILL('SIGTERM')}` } },
      ],
      [
        'never ends its closing, and leaves nothing to wait for',
        1,
        { env: { ON_CLOSE: 'return new Promise(() => {})' } },
      ],
      ['fails to close', 1, { env: { ON_CLOSE: 'throw new Error("not closed")' } }],
      [
        'throws where nobody catches it',
        1,
        { env: { ON_CALL: 'setImmediate(() => { throw new Error("uncaught") })' } },
      ],
      [
        'throws after the last call',
        1,
        { env: { ON_LAST_CALL: 'setImmediate(() => { throw new Error("uncaught") })' } },
      ],
      [
        'throws while it closes',
        1,
        { env: { ON_CLOSE: 'process.nextTick(() => { throw new Error("uncaught") })' } },
      ],
      ['throws after the report', 1, { env: { ON_CLOSE: later('throw new Error("uncaught")') } }],
      ['rejects where nobody listens', 1, { env: { ON_CALL: 'Promise.reject(new Error("unhandled"))' } }],
      ['rejects after the report', 1, { env: { ON_CLOSE: later('Promise.reject(new Error("unhandled"))') } }],
      ['exits with another code after the report', 1, { env: { ON_CLOSE: later('process.exit(7)') } }],
      [
        'exits with 0 on an uncaught error',
        1,
        {
          env: {
            ON_CALL:
              "process.once('uncaughtException', () => process.exit(0)); setImmediate(() => { throw new Error() })",
          },
        },
      ],
      [
        'exits with 0 on SIGTERM',
        143,
        {
          env: {
            ON_CALL: `process.on('SIGTERM', () => process.exit(0)); process.kill(process.ppid, 'SIGTERM'); return new Promise((done) => setTimeout(done, 1000))`,
          },
        },
      ],
      [
        'sets the exit code to 0 after the gate failed',
        5,
        { env: { ...CHANGED, ON_LOAD: "process.on('exit', () => { process.exitCode = 0 })" } },
      ],
      [
        'exits with 0 at exit after the gate failed',
        5,
        { env: { ...CHANGED, ON_LOAD: "process.on('exit', () => process.reallyExit(0))" } },
      ],
      [
        'exits with 0 soon after the gate failed',
        5,
        { env: { ...CHANGED, ON_CLOSE: later('process.exit(0)') } },
      ],
      [
        'replaces process.exit after the gate failed',
        5,
        {
          env: {
            ...CHANGED,
            ON_LOAD:
              'process.exit = () => {}; Object.defineProperty(process, "exitCode", { value: 0, writable: true })',
          },
        },
      ],
      ['sends itself SIGTERM', 143, { env: { ON_LAST_CALL: KILL('SIGTERM') } }],
      ['sends itself SIGINT', 130, { env: { ON_CALL: KILL('SIGINT') } }],
      [
        'sends itself SIGTERM while it closes',
        143,
        { env: { ON_CLOSE: `${KILL('SIGTERM')}; return new Promise(setImmediate)` } },
      ],
      ['sends itself SIGTERM after the report', 143, { env: { ON_CLOSE: later(KILL('SIGTERM')) } }],
      ['sends itself SIGHUP', 1, { env: { ON_CALL: KILL('SIGHUP') } }],
      ['sends itself SIGKILL', 1, { env: { ON_CALL: KILL('SIGKILL') } }],
      ['sends itself SIGKILL after the report', 1, { env: { ON_CLOSE: later(KILL('SIGKILL')) } }],
      ['aborts', 1, { env: { ON_CALL: 'process.abort()' } }],
      [
        'runs out of memory',
        1,
        {
          env: {
            NODE_OPTIONS: '--max-old-space-size=60',
            ON_CALL: 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length))',
          },
        },
      ],
      [
        'waits for a worker that exits',
        5,
        {
          env: {
            ON_CALL:
              "new (require('node:worker_threads').Worker)('process.exit(0)', { eval: true }); return new Promise(() => {})",
          },
          args: ['--timeout', '300'],
        },
      ],
      ['closes the channel to the supervisor', 1, { env: { ON_CALL: 'require("fs").closeSync(3)' } }],
      [
        'destroys every open handle',
        1,
        {
          env: {
            ON_CALL: 'for (const handle of process._getActiveHandles()) handle.destroy?.(); process.exit(0)',
          },
        },
      ],
      [
        'kills the supervisor',
        'SIGKILL',
        { env: { ON_CALL: "process.kill(process.ppid, 'SIGKILL'); return new Promise(() => {})" } },
      ],
      [
        'reports to have been closed',
        1,
        { env: { ON_CALL: 'process.stdout.destroy(); process.stdout.end()' } },
      ],
    ])('%s: %s', async (_, code, attempt) => {
      const { exit, err } = await replay(attempt);
      expect([exit, err]).toEqual([code, expect.any(String)]);
    });

    it('is preloaded and changes the exit code: 5', async () => {
      const NODE_OPTIONS = `--require ${join(folder, 'preload.cjs')}`;
      expect(await replay({ env: { ...CHANGED, NODE_OPTIONS } })).toMatchObject({ exit: 5 });
    });
  });

  describe('is not 0 when', () => {
    it.each<[string, number | NodeJS.Signals, () => Attempt]>([
      ['the disk is full where a report is written', 1, () => ({ args: ['--junit', FULL] })],
      ['the disk is full where a comment is written', 1, () => ({ args: ['--markdown', FULL] })],
      ['the disk is full where stdout is written', 1, () => ({ stdout: FULL })],
      ['nobody reads stdout', 1, () => ({ during: (child) => child.stdout!.destroy() })],
      ['nobody reads the JSON', 1, () => ({ args: ['--json'], during: (child) => child.stdout!.destroy() })],
      [
        'the supervisor is sent SIGTERM in a call',
        143,
        () => ({
          env: { ON_CALL: 'console.log("in a call"); return new Promise((done) => setTimeout(done, 300))' },
          during: onceSaid(/in a call/, 'SIGTERM'),
        }),
      ],
      [
        'the supervisor is killed',
        'SIGKILL',
        () => ({
          env: { ON_CALL: 'console.log("in a call"); return new Promise(() => {})' },
          during: onceSaid(/in a call/, 'SIGKILL'),
        }),
      ],
      [
        'the variable names a process that is no supervisor',
        1,
        () => ({ env: { DACAPO_SUPERVISOR_PID: '1' } }),
      ],
      [
        'the variable names a process that opened no channel',
        1,
        () => ({ env: { DACAPO_SUPERVISOR_PID: String(process.pid) } }),
      ],
    ])('%s: %s', async (_, code, attempt) => {
      const { exit, err } = await replay(attempt());
      expect([exit, err]).toEqual([code, expect.any(String)]);
    });
  });

  /** Sends a signal once the process has printed something. */
  function onceSaid(text: RegExp, signal: NodeJS.Signals): (child: ChildProcess) => void {
    return (child) => {
      child.stderr!.on('data', (said: string) => {
        if (text.test(said)) child.kill(signal);
      });
    };
  }

  describe('with a service that', () => {
    const finishes =
      (answer: (path: string, answered: () => Promise<Answer>) => ReturnType<Interference>): Interference =>
      ({ path, forward }) =>
        path.endsWith('/finish') ? answer(path, forward) : undefined;
    const changed = async (forward: () => Promise<Answer>, change: object): Promise<Answer> => {
      const { status, body } = await forward();
      return { status, body: JSON.stringify({ ...JSON.parse(body), ...change }) };
    };

    it.each<[string, number, Interference, string[]?]>([
      ['answers 500 to the end', 1, finishes(() => ({ status: 500, body: '{"detail":"no"}' }))],
      [
        'answers 500 to the end, without a gate',
        1,
        finishes(() => ({ status: 500, body: '{}' })),
        ['--gate', '{}'],
      ],
      ['answers a page to the end', 1, finishes(() => ({ status: 200, body: '<html>Sign in</html>' }))],
      ['answers nothing to the end', 1, finishes(() => ({ status: 204, body: '' }))],
      ['answers an empty object to the end', 1, finishes(() => ({ status: 200, body: '{}' }))],
      [
        'answers with no more than an id to the end',
        1,
        finishes(() => ({ status: 200, body: '{"id":"x"}' })),
      ],
      ['answers for another run', 1, finishes((_, forward) => changed(forward, { id: 'another' }))],
      ['shows the run as running', 1, finishes((_, forward) => changed(forward, { status: 'running' }))],
      [
        'kept no decision',
        5,
        finishes((_, forward) => changed(forward, { summary: undefined, passed: undefined })),
      ],
      ['decides that the run failed', 5, finishes((_, forward) => changed(forward, { passed: false }))],
      [
        'leaves the run undecided',
        5,
        finishes((_, forward) => changed(forward, { passed: undefined, undecided: true })),
      ],
      ['drops the connection at the end', 1, finishes(() => 'drop')],
      ['hangs at the end', 1, finishes(() => 'hang')],
      ['drops all reports', 1, ({ path }) => (/items$|finish$/.test(path) ? 'drop' : undefined)],
      [
        'dies after the calls were fetched',
        1,
        ({ path }) => (/calls|test-runs$|limit=1$/.test(path) ? undefined : 'drop'),
      ],
      ['dies before the run begins', 3, () => 'drop'],
      [
        'refuses every item',
        5,
        ({ path }) => (path.endsWith('/items') ? { status: 400, body: '{"detail":"no"}' } : undefined),
      ],
      [
        'claims to have stored more than it was sent',
        1,
        ({ path }) =>
          path.endsWith('/items') ? { status: 200, body: '{"accepted":9,"rejected":[]}' } : undefined,
      ],
      [
        'is restarted at the end, and has the decision after that',
        0,
        ({ path, before }) => (path.endsWith('/finish') && before === 0 ? 'drop' : undefined),
        ['--timeout', '5000'],
      ],
    ])('%s is %d', async (_, code, interfere, args = []) => {
      const proxy = await ServiceProxy.start(service.url, interfere);
      try {
        const line = ['--url', proxy.url, '--timeout', '400', ...args];
        const { exit, err } = await replay({ args: line });
        expect([exit, err]).toEqual([code, expect.any(String)]);
      } finally {
        await proxy.close();
      }
    });
  });

  describe('that is not the one of the report', () => {
    it('comes with what happened and how to go on, and the run can be resumed', async () => {
      const { exit, err } = await replay({ env: { ON_LAST_CALL: 'process.exit(0)' } });
      const { id } = await runOf(err);
      expect(exit).toBe(1);
      expect(err).toMatch(/The replay process exited with 0 before the service confirmed the result\./);
      expect(err).toContain(`Resume with the same command and --resume ${id}. [CLI_REPLAY_PROCESS_ENDED]`);
      expect(await replay({ args: ['--resume', id] })).toMatchObject({ exit: 0 });
    });

    it('comes as JSON with --json', async () => {
      const { err } = await replay({ env: { ON_CALL: 'process.exit(0)' }, args: ['--json'] });
      expect(JSON.parse(err)).toEqual({
        error: {
          code: 'CLI_REPLAY_PROCESS_ENDED',
          message: expect.stringMatching(/exited with 0 before .* --resume [\da-f-]{36}\.$/),
        },
      });
    });

    it('does not offer to resume a run that is finished', async () => {
      const { err } = await replay({ env: { ON_CLOSE: 'process.exit(0)' } });
      expect(err).toMatch(
        /before it reported the result\..* is finished: look at its page, or start a new run\./,
      );
      expect(await runOf(err)).toMatchObject({ status: 'finished', passed: true });
    });
  });
});
