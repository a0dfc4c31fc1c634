import { cp, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestRunRecord } from '@dacapo/protocol';
import { Tracer } from '@dacapo/tracer';
import { CommandHost } from '../libs/cli/test/command-host.js';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { APPLICATION_ATTACKS } from './replay-exit/application-attacks.js';
import { FINISHED_RUN, OTHER_COMMAND_ATTACKS } from './replay-exit/other-commands.js';
import { OUTSIDE_ATTACKS } from './replay-exit/outside-attacks.js';
import {
  type Attack,
  type Attempt,
  type Ended,
  ENTRY,
  replay as replayWith,
  replayAll,
  replayInHost,
} from './replay-exit/replay-process.js';
import { SERVICE_ATTACKS } from './replay-exit/service-attacks.js';
import { removeFolder } from './support/remove-folder.js';

const CONTROLS: readonly Attack[] = [
  ['a gate that passes', 0, {}],
  ['no gate', 0, { line: ['replay', ENTRY, '--export', 'work'] }],
  [
    'a rescored run',
    0,
    { line: ['rescore', FINISHED_RUN, '--evaluators', 'test/replay-exit/evaluators.cjs'] },
  ],
  ['an eval file', 0, { line: ['eval', 'test/replay-exit/attacked.eval.cjs'] }],
  ['a dash before the command', 0, { line: ['--', 'replay', ENTRY] }],
  ['code that sets an exit code', 0, { env: { ON_CALL: 'process.exitCode = 9' } }],
  ['code that prints to stdout', 0, { env: { ON_CALL: 'console.log("a line")' } }],
  [
    'code that prints to the channel',
    0,
    { env: { ON_CALL: 'require("fs").writeSync(3, "{\\n5\\nnull\\n[]\\n")' } },
  ],
  ['code that keeps the process alive', 0, { env: { ON_CLOSE: 'setInterval(() => {}, 1e6)' } }],
  ['flags of Node', 0, { env: { NODE_OPTIONS: '--max-old-space-size=300 --inspect=127.0.0.1:0' } }],
  [
    'a service that is unreachable at the end, and returns in time',
    0,
    {
      args: ['--timeout', '5000'],
      interfere: ({ path, before }) => (path.endsWith('/finish') && before === 0 ? 'drop' : undefined),
    },
  ],
];
/** Those that end or break a process. */
const PROCESS_ATTACKS = [...APPLICATION_ATTACKS, ...OUTSIDE_ATTACKS, ...OTHER_COMMAND_ATTACKS];
const ATTACKS = [...PROCESS_ATTACKS, ...SERVICE_ATTACKS];

describe('the exit code of `dacapo replay`, `rescore` and `eval`', () => {
  let service: DacapoServe;
  let folder: string;
  let host: CommandHost;
  let ended: Map<Attack, Promise<Ended>>;

  beforeAll(async () => {
    service = await startDacapoServe();
    host = CommandHost.start();
    folder = await mkdtemp(join(tmpdir(), 'dacapo-exit-'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const tracer = new Tracer({ apiKey: service.apiKey, serviceUrl: service.url });
    const work = tracer.withSpan('work', (n: number) => Promise.resolve(n));
    for (const n of [1, 2, 3]) await work(n);
    const finished = await tracer.replay('work', work);
    await tracer.shutdown();
    const all = [...CONTROLS, ...PROCESS_ATTACKS];
    const ends = replayAll(
      service,
      all.map(([, , { line, ...attempt }]) => ({
        ...attempt,
        ...(line && { line: line.map((word) => (word === FINISHED_RUN ? finished.testRunId : word)) }),
      })),
    );
    ended = new Map(all.map((attack, n) => [attack, ends[n]!]));
  });
  afterAll(async () => {
    await Promise.allSettled(ended.values());
    await host.close();
    await service.close();
    await removeFolder(folder);
  });

  const replay = (attempt: Attempt): Promise<Ended> => replayWith(service, attempt);
  async function replayWithService(attempt: Attempt): Promise<Ended> {
    const copies = await mkdtemp(join(folder, 'entries-'));
    await cp(join(ROOT, ENTRY), join(copies, ENTRY));
    return replayInHost(host, service, attempt, copies);
  }
  const readRun = (err: string): Promise<TestRunRecord> =>
    service.get(`/test-runs/${/Test run (\S+):/.exec(err)?.[1] ?? 'none'}`);

  it.each(CONTROLS.map((attack) => [attack[0], attack] as const))('is 0 with %s', async (_, attack) => {
    const { exit, err } = await ended.get(attack)!;
    expect([exit, err]).toEqual([0, expect.stringMatching(/^[^]*Test run/)]);
    expect(await readRun(err)).toMatchObject({ status: 'finished' });
  });

  describe(`is never 0 under ${ATTACKS.length} attacks:`, () => {
    const isStopped = async (attack: Attack, end = ended.get(attack)!): Promise<void> => {
      const [, expected] = attack;
      const { exit, err } = await end;
      expect(expected).not.toBe(0);
      expect([exit, err]).toEqual([expected, expect.any(String)]);
    };
    const rows = (attacks: readonly Attack[]): [string, Attack['1'], Attack][] =>
      attacks.map((attack) => [attack[0], attack[1], attack]);

    it.each(rows(APPLICATION_ATTACKS))('the application %s: %s', (_, _exit, attack) => isStopped(attack));
    it.each(rows(OUTSIDE_ATTACKS))('%s: %s', (_, _exit, attack) => isStopped(attack));
    it.each(rows(OTHER_COMMAND_ATTACKS))('%s: %s', (_, _exit, attack) => isStopped(attack));
    it.each(rows(SERVICE_ATTACKS))('the service %s: %s', (_, _exit, attack) =>
      isStopped(attack, replayWithService(attack[2])),
    );
  });

  it('is 5 for a failed gate even if a preloaded module changes it', async () => {
    const preload = join(folder, 'preload.cjs');
    await writeFile(preload, "process.on('exit', () => { process.exitCode = 0; process.reallyExit(0); });\n");
    const env = { CHANGED: '1', NODE_OPTIONS: `--require ${preload}` };
    expect(await replay({ env })).toMatchObject({ exit: 5 });
  });

  describe('that differs from the report', () => {
    it('comes with the reason and how to resume the run', async () => {
      const { exit, err } = await replay({ env: { ON_LAST_CALL: 'process.exit(0)' } });
      const { id } = await readRun(err);
      expect(exit).toBe(1);
      expect(err).toMatch(/The replay process exited with 0 before the service confirmed the result\./);
      expect(err).toContain(`Resume with the same command and --resume ${id}. [CLI_REPLAY_PROCESS_ENDED]`);
      expect(await replay({ args: ['--resume', id] })).toMatchObject({ exit: 0 });
    });

    it('is explained as JSON with --json', async () => {
      const { err } = await replay({ env: { ON_CALL: 'process.exit(0)' }, args: ['--json'] });
      expect(JSON.parse(err)).toEqual({
        error: {
          code: 'CLI_REPLAY_PROCESS_ENDED',
          message: expect.stringMatching(/exited with 0 before .* --resume [\da-f-]{36}\.$/),
        },
      });
    });

    it('does not suggest to resume a finished run', async () => {
      const { err } = await replay({ env: { ON_CLOSE: 'process.exit(0)' } });
      expect(err).toMatch(
        /before it reported the result\..* is finished: open its page, or start a new run\./,
      );
      expect(await readRun(err)).toMatchObject({ status: 'finished', passed: true });
    });
  });
});
