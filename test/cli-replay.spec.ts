import { cp, mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, TestRunItemSummary, TestRunRecord } from '@dacapo/protocol';
import { Tracer } from '@dacapo/tracer';
import { findElements, parseXml } from './cli-replay/parse-xml.js';
import { RunningReplay } from './cli-replay/run-replay.js';
import { CommandHost } from '../libs/cli/test/command-host.js';
import { compileModule } from './processes/compile-module.js';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { removeFolder } from './support/remove-folder.js';

const ENTRIES = join(ROOT, 'test/cli-replay');
const COMMONJS = 'greet.cjs';
const ES_MODULE = 'plain.mjs';
const NEST = 'desk.mjs';
const NESTS = 'desks.mjs';
const NEST_TYPESCRIPT = 'desk.ts';
const TYPESCRIPT = { NODE_OPTIONS: `--import ${join(ENTRIES, 'load-typescript.mjs')}` };

describe('dacapo replay', () => {
  let service: DacapoServe;
  let folder: string;
  let entries: string;
  let host: CommandHost;

  beforeAll(async () => {
    service = await startDacapoServe();
    host = CommandHost.start();
    folder = await mkdtemp(join(tmpdir(), 'dacapo-replay-'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    entries = join(folder, 'entries');
    await cp(ENTRIES, entries, { recursive: true });
    for (const name of ['desk', 'desks', 'bare'])
      await writeFile(
        join(entries, `${name}.mjs`),
        compileModule(await readFile(join(entries, `${name}.ts`), 'utf8')),
      );
    const tracer = new Tracer({ apiKey: service.apiKey, serviceUrl: service.url });
    const greet = tracer.withSpan('greet', (name: string) => (name === 'Zoe' ? 'Hi Zoe' : `Hello ${name}`));
    for (const name of ['Ann', 'Bob', 'Zoe']) greet(name);
    const count = tracer.withSpan('count', (n: number) => n);
    for (let n = 0; n < 10; n++) count(n);
    await tracer.shutdown();
  });
  afterAll(async () => {
    await host.close();
    await service.close();
    await removeFolder(folder);
  });

  const startReplay = (args: string[], env: Record<string, string> = {}): RunningReplay =>
    RunningReplay.start(args, { ...service.env, ...env }, entries);

  /** Runs the command with modules that no other command has loaded. */
  async function replay(args: string[], env: Record<string, string> = {}): ReturnType<CommandHost['run']> {
    const copies = await mkdtemp(join(folder, 'entries-'));
    await cp(entries, copies, { recursive: true });
    return host.run(['replay', ...args], { ...service.env, ...env }, copies);
  }

  it('replays an exported function of a CommonJS module with its own key', async () => {
    const { exit, out, err } = await replay([COMMONJS, '--export', 'greet']);
    expect(exit).toBe(0);
    expect(out).toMatch(/^No gate: greet\n\n3 calls replayed, 2 unchanged, 1 changed\.\n/);
    expect(out).toMatch(
      /1\. call [0-9a-f]{16}: changed\n +Input +"Zoe"\n +Baseline +"Hi Zoe"\n +Candidate +"Hello Zoe"\n/,
    );
    expect(err).toMatch(/^Test run \S+: 3 items\n.*\/test-runs\/.*\n1 of 3: /);
  });

  it('replays an exported function of an ES module with a named key, without its output in the report', async () => {
    const { exit, out, err } = await startReplay([
      ES_MODULE,
      '--export',
      'greet',
      '--key',
      'greet',
      '--json',
      '--text',
      'Ann',
    ]).ended();
    expect(exit).toBe(0);
    const [line, ...others] = out.trimEnd().split('\n');
    expect(others).toEqual([]);
    expect(JSON.parse(line!)).toMatchObject({
      title: 'greet',
      status: 'finished',
      totals: { items: 1, same: 1 },
      items: [],
    });
    expect(err).toBe('greeting Ann\n');
  });

  it('starts a Nest module for a replay without schedules, and reports what it skipped', async () => {
    const args = [NEST_TYPESCRIPT, '--method', 'Desk.greet'];
    const { exit, out, err } = await startReplay(args, TYPESCRIPT).ended();
    expect(exit).toBe(0);
    expect(out).toMatch(/^No gate: Desk\.greet\n\n3 calls replayed, 2 unchanged, 1 changed\./);
    expect(err).toMatch(/^Not started: Desk\.often \(schedules\)\n/);
    expect(err).not.toContain('a schedule ran');
  });

  it('replays an undecorated method of a Nest module with a key, and a key through its method', async () => {
    const untraced = await replay([NEST, '--method', 'Desk.untraced', '--key', 'greet']);
    const byKey = await replay([NEST, '--key', 'greet']);
    expect([untraced.exit, byKey.exit]).toEqual([0, 0]);
    for (const { out } of [untraced, byKey])
      expect(out).toContain('3 calls replayed, 2 unchanged, 1 changed');
  });

  it('uses the copy of the tracer that the application has, and loads no other', async () => {
    const app = await realpath(await mkdtemp(join(folder, 'app-')));
    const modules = join(app, 'node_modules/@dacapo');
    for (const part of ['dist', 'package.json'])
      await cp(join(ROOT, 'libs/tracer', part), join(modules, 'tracer', part), { recursive: true });
    for (const name of ['protocol', 'client', 'evaluation'])
      await symlink(join(ROOT, 'libs', name), join(modules, name));
    const loaded = 'Object.keys(require.cache).filter((path) => /tracer.dist/.test(path)).join()';
    await writeFile(
      join(app, 'entry.cjs'),
      `exports.greet = (name) => { console.log(${loaded}); return name; };\n`,
    );
    const args = [join(app, 'entry.cjs'), '--key', 'greet', '--limit', '1', '--json'];
    const { exit, err } = await startReplay(args).ended();
    expect(exit).toBe(0);
    const paths = err.trim().split(',');
    expect(paths).not.toEqual([]);
    for (const path of paths) expect(path.startsWith(join(app, 'node_modules/@dacapo/tracer/'))).toBe(true);
  });

  it('scores both sides with the evaluators of a module, and checks the scores in the gate', async () => {
    const scored = [COMMONJS, '--export', 'greet', '--evaluators', 'evaluators.mjs'];
    const { exit, out } = await replay([
      ...scored,
      '--json',
      '--gate',
      '{"scores":{"politeness":{"min":1}}}',
    ]);
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      passed: true,
      scores: {
        politeness: { mean: 1, n: 3, better: 1, worse: [] },
        brevity: { n: 2, notApplicable: 1, worse: [expect.any(String)] },
      },
    });
    const lower = await replay([...scored, '--gate', '{"scores":{"brevity":{"min":0.9}}}']);
    expect(lower.exit).toBe(5);
    expect(lower.out).toMatch(/^Failed 1 of 5 checks: greet\n/);
    expect(lower.out).toMatch(
      /^- brevity is \S+ over 2 items; the gate requires at least 0\.9\.\n +\S.*\n +call [0-9a-f]{16}/m,
    );
    expect(lower.out).toMatch(/^politeness +1 /m);
  });

  it('measures how unchanged code and its repetitions differ', async () => {
    const args = [COMMONJS, '--export', 'greet', '--json'];
    const self = await replay([...args, '--baseline', 'self', '--gate', '{"changed":0}']);
    expect([self.exit, JSON.parse(self.out)]).toMatchObject([0, { totals: { items: 3, same: 3 } }]);
    const repeated = await replay([...args, '--repeat', '2']);
    expect(JSON.parse(repeated.out)).toMatchObject({
      totals: { items: 6, flaky: 0 },
      repeats: expect.anything(),
    });
  });

  it('compares with the export of another module, which runs in the same process', async () => {
    const beside = [COMMONJS, '--export', 'greet', '--json', '--concurrency', '1'];
    const same = [...beside, '--baseline', `${COMMONJS}#greet`, '--gate'];
    const equal = await replay([...same, '{"changed":0}']);
    expect([equal.exit, JSON.parse(equal.out)]).toMatchObject([
      0,
      { passed: true, totals: { items: 3, same: 3 }, durations: { p95Delta: { n: 3 } } },
    ]);
    const limited = await replay([...same, '{"p95Ms":{"maxRise":60000}}']);
    expect([limited.exit, JSON.parse(limited.out)]).toMatchObject([
      5,
      { failures: [expect.stringContaining('3 items are too few to show a rise; 6 items are enough')] },
    ]);
    const other = await replay([...beside, '--baseline', `${ES_MODULE}#count`]);
    expect(JSON.parse(other.out)).toMatchObject({ totals: { items: 3, changed: 3 } });
  });

  describe('that compares with another baseline than the recording', () => {
    const post = async (path: string, body: unknown): Promise<unknown> => {
      const headers = { 'API-Key': service.apiKey, 'content-type': 'application/json' };
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const answer = await response.text();
      expect([response.status < 300, answer]).toEqual([true, answer]);
      return answer === '' ? undefined : JSON.parse(answer);
    };
    const GATED = [COMMONJS, '--export', 'greet', '--json', '--gate', '{"changed":0}'];

    it('replays the latest or a named version of a dataset, through a function and through a method', async () => {
      await post('/datasets', { name: 'guests' });
      await post('/datasets/guests/versions', { items: [{ input: ['Ann'], expected: 'Hello Ann' }] });
      await post('/datasets/guests/versions', { items: [{ input: ['Bob'], expected: 'Good morning Bob' }] });
      const latest = await replay([...GATED, '--dataset', 'guests']);
      expect([latest.exit, JSON.parse(latest.out)]).toMatchObject([
        5,
        { totals: { items: 2, same: 1, changed: 1 } },
      ]);
      const first = await replay([...GATED, '--dataset', 'guests@1']);
      expect([first.exit, JSON.parse(first.out)]).toMatchObject([0, { totals: { items: 1, same: 1 } }]);
      const method = await replay([NEST, '--method', 'Desk.greet', '--dataset', 'guests@1']);
      expect([method.exit, method.out]).toEqual([
        0,
        expect.stringMatching(/^1 call replayed, 1 unchanged\./m),
      ]);
    });

    it('compares with an accepted outcome, and with an earlier run', async () => {
      const before = await replay(GATED);
      expect(before.exit).toBe(5);
      const { testRunId, items } = JSON.parse(before.out) as {
        testRunId: string;
        items: { itemNo: number }[];
      };
      const asThen = await replay([...GATED, '--baseline', testRunId]);
      expect([asThen.exit, JSON.parse(asThen.out)]).toMatchObject([0, { totals: { same: 3 } }]);
      for (const { itemNo } of items) await post(`/test-runs/${testRunId}/items/${itemNo}/accept`, {});
      const accepted = await replay([...GATED, '--baseline', 'accepted']);
      expect([accepted.exit, JSON.parse(accepted.out)]).toMatchObject([
        0,
        { totals: { same: 3, accepted: 1 } },
      ]);
    });
  });

  it('ends and warns when the application keeps its process alive', async () => {
    const args = [ES_MODULE, '--export', 'greet', '--key', 'greet', '--limit', '1'];
    const { exit, err } = await startReplay(args, { KEEP_ALIVE: '1' }).ended();
    expect(exit).toBe(0);
    expect(err).toMatch(/The application still has .*Timeout.* open, so it was ended\.\n$/);
  });

  describe('its exit codes', () => {
    const cases: [string, number, string[], Record<string, string>, string | RegExp][] = [
      [
        'the gate passed',
        0,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--gate', '{"changed":1,"errors":0}'],
        {},
        /^Test run/,
      ],
      [
        'a missing entry',
        1,
        ['none.js', '--key', 'greet'],
        {},
        'Name a compiled module that exists. [CLI_ENTRY_NOT_LOADED]',
      ],
      [
        'an export in the path of the entry',
        1,
        ['none.js#greet', '--key', 'greet'],
        {},
        'Name the module alone, and its export with --export: none.js --export greet. [CLI_ENTRY_NOT_LOADED]',
      ],
      [
        'the entry throws',
        1,
        ['broken.mjs', '--key', 'greet'],
        {},
        'broken.mjs cannot be loaded: no database. Fix the module',
      ],
      [
        'a file that Node cannot load',
        1,
        [NEST_TYPESCRIPT, '--method', 'Desk.greet'],
        {},
        "load TypeScript directly: NODE_OPTIONS='--import tsx' dacapo replay",
      ],
      [
        'a refused key',
        1,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--api-key', 'wrong'],
        {},
        '401: Invalid API key',
      ],
      ['no key', 2, [ES_MODULE, '--key', 'greet'], { TRACER_API_KEY: '' }, '[CLI_API_KEY_MISSING]'],
      [
        'an entry with a disabled tracer',
        2,
        ['keyless.cjs', '--key', 'greet'],
        {},
        'has a disabled tracer. Pass apiKey: process.env.TRACER_API_KEY',
      ],
      [
        'no such export',
        2,
        [COMMONJS, '--export', 'great'],
        {},
        'has no export great. It exports greet, shout. [CLI_ENTRY_EXPORT]',
      ],
      [
        'several tracers',
        2,
        ['tracers.cjs', '--export', 'greet'],
        {},
        'makes 2 tracers. Export only the one that replays.',
      ],
      [
        'one exported tracer of several',
        0,
        ['tracers.cjs', '--export', 'greet'],
        { EXPORT_TRACER: '1' },
        'Test run',
      ],
      [
        'the result of createReplayContext',
        0,
        [NESTS, '--export', 'started', '--method', 'Desk.greet'],
        {},
        'Test run',
      ],
      [
        'a promise of a dynamic module',
        0,
        [NESTS, '--export', 'register', '--method', 'Desk.greet'],
        {},
        'Test run',
      ],
      [
        'an application that fails to start',
        1,
        [NESTS, '--export', 'DoesNotStart', '--method', 'Desk.greet'],
        {},
        '[CLI_APPLICATION_FAILED]',
      ],
      [
        'two classes with the same name',
        2,
        [NESTS, '--export', 'TwoOfOneName', '--method', 'Desk.greet'],
        {},
        '2 classes of the application have Desk.greet. Export a Nest module that imports only one of them.',
      ],
      ['several Nest modules', 2, [NESTS, '--method', 'Desk.greet'], {}, 'Name one with --export.'],
      [
        'several functions',
        2,
        [COMMONJS],
        {},
        'exports several functions: greet (greet), shout (shout). Name one with --export.',
      ],
      [
        'a function without a key',
        2,
        [ES_MODULE, '--export', 'greet'],
        {},
        'exports greet, which is not recorded under a key. Pass the key',
      ],
      [
        'a method without a Nest module',
        2,
        [COMMONJS, '--method', 'Desk.greet'],
        {},
        'exports no Nest module, but --method needs one',
      ],
      [
        'no such method',
        2,
        [NEST, '--method', 'Desk.gret'],
        {},
        'has Desk.gret. Traced methods: Desk.greet. [CLI_METHOD_NOT_FOUND]',
      ],
      [
        'a Nest module without a method or key',
        2,
        [NEST],
        {},
        'Choose the function with --method Service.method, or with --key.',
      ],
      [
        'a misspelt limit',
        2,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--gate', '{"chnged":0}'],
        {},
        'gate.chnged is not a limit. Did you mean "changed"?',
      ],
      [
        'a limit on durations that are not comparable',
        2,
        [COMMONJS, '--export', 'greet', '--gate', '{"p95Ms":{"maxRise":5}}'],
        {},
        'Pass --baseline file#export',
      ],
      [
        'a baseline that is not exported',
        2,
        [COMMONJS, '--export', 'greet', '--baseline', `${COMMONJS}#salute`],
        {},
        'has no export salute',
      ],
      [
        'a gate that is not JSON',
        2,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--gate', '{changed:0}'],
        {},
        '--gate is not JSON',
      ],
      [
        'a missing gate file',
        2,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--gate', 'missing.json'],
        {},
        '--gate missing.json cannot be read (ENOENT). Name a file that exists',
      ],
      [
        'an invalid id of a run to resume',
        2,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--resume', 'nonsense'],
        {},
        'Pass the id of a test run',
      ],
      [
        'a missing run to resume',
        2,
        [
          ES_MODULE,
          '--export',
          'greet',
          '--key',
          'greet',
          '--resume',
          '00000000-0000-4000-8000-000000000000',
        ],
        {},
        '[TRACER_RESUME_REFUSED]',
      ],
      [
        'a seed without a sample',
        2,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--seed', '1'],
        {},
        'Add --sample <n>.',
      ],
      [
        'no service',
        3,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--url', 'http://127.0.0.1:9'],
        {},
        '[TRACER_SERVICE_UNREACHABLE]',
      ],
      [
        'a key without calls',
        4,
        [ES_MODULE, '--export', 'greet', '--key', 'great'],
        {},
        'The account has no call with the key "great".',
      ],
      [
        'a selection without calls',
        4,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--until', '2w'],
        {},
        'Nothing to replay: the selection has no calls',
      ],
      [
        'the gate failed',
        5,
        [ES_MODULE, '--export', 'greet', '--key', 'greet', '--gate', '{"changed":0}'],
        {},
        'Failed 1 of 4 checks. The report above lists them',
      ],
    ];
    it.each(cases)('%s: %d', async (_, code, args, env, message) => {
      const { exit, err } = await replay(args, env);
      if (typeof message === 'string') expect(err).toContain(message);
      else expect(err).toMatch(message);
      expect(exit).toBe(code);
    });

    // A process that has loaded no other application.
    it('a Nest module without a tracer: 1', async () => {
      const { exit, err } = await startReplay(['bare.mjs', '--method', 'Desk.greet']).ended();
      expect([exit, err]).toEqual([
        1,
        expect.stringContaining('imports no TracerModule. Import TracerModule.forRoot()'),
      ]);
    });
  });

  it('refuses to resume a finished run, and does not change it', async () => {
    const failed = await replay([COMMONJS, '--export', 'greet', '--json', '--gate', '{"changed":0}']);
    const { testRunId } = JSON.parse(failed.out) as { testRunId: string };
    const stored = await service.get(`/test-runs/${testRunId}`);
    const args = [COMMONJS, '--export', 'greet', '--resume', testRunId, '--gate', '{"changed":99}'];
    const { exit, err } = await startReplay(args).ended();
    expect([exit, err]).toEqual([
      2,
      expect.stringContaining('is finished and cannot be resumed. Start a new run'),
    ]);
    expect(await service.get(`/test-runs/${testRunId}`)).toEqual(stored);
  });

  it('writes reports relative to its start directory when the application changes the directory', async () => {
    const entry = join(ROOT, 'test/replay-exit/entry.cjs');
    const args = [entry, '--export', 'work', '--key', 'greet', '--markdown', 'relative.md'];
    const env = { ...service.env, ON_LOAD: "process.chdir('/')" };
    await RunningReplay.start(args, env, folder).ended();
    expect(await readFile(join(folder, 'relative.md'), 'utf8')).toContain('## No gate');
  });

  describe('that is interrupted', () => {
    const COUNT = [ES_MODULE, '--export', 'count', '--key', 'count', '--concurrency', '1'];
    const getRun = (id: string) => service.get<TestRunRecord>(`/test-runs/${id}`);

    /** Starts a replay that waits inside its fourth call. */
    async function startHeld(): Promise<{
      running: RunningReplay;
      id: string;
      release: () => Promise<void>;
    }> {
      const held = join(await mkdtemp(join(folder, 'held-')), 'go');
      const running = startReplay(COUNT, { HOLD_UNTIL: held });
      await running.says(/^3 of 10/m);
      const [, id = ''] = /Test run (\S+):/.exec(running.err) ?? [];
      return { running, id, release: () => writeFile(held, '') };
    }

    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)(
      'by %s finishes the current call, prints how to resume, and exits with %d',
      async (signal, code) => {
        const { running, id, release } = await startHeld();
        running.kill(signal);
        await running.says(/Stopping after the running calls/);
        await release();
        const { exit, out, err } = await running.ended();
        expect(exit).toBe(code);
        expect(out).toMatch(/^4 calls replayed, 4 unchanged\. Also 6 missing\./m);
        expect(out).toContain(`Run the same command with --resume ${id}\n`);
        expect(err).toContain(`--resume ${id}. [CLI_RUN_INTERRUPTED]`);
        expect(await getRun(id)).toMatchObject({ status: 'interrupted', totals: { items: 4 } });

        const again = [...COUNT, '--resume', id, '--gate', '{"changed":0}', '--json'];
        const resumed = await startReplay(again).ended();
        expect(resumed.exit).toBe(0);
        expect(JSON.parse(resumed.out)).toMatchObject({
          testRunId: id,
          warnings: [expect.stringMatching(/^4 items replayed before this resume: /)],
          totals: { items: 10, same: 10, missing: 0 },
        });
      },
    );

    it('by SIGINT twice ends at once', async () => {
      const { running } = await startHeld();
      running.kill('SIGINT');
      await running.says(/Stopping/);
      running.kill('SIGINT');
      expect(await running.ended()).toMatchObject({ exit: 'SIGINT' });
    });

    it('by SIGKILL counts each call once after it is resumed', async () => {
      const { running, id } = await startHeld();
      running.kill('SIGKILL');
      expect(await running.ended()).toMatchObject({ exit: 'SIGKILL' });
      const { exit, out, err } = await startReplay([...COUNT, '--resume', id]).ended();
      expect(exit).toBe(0);
      expect(out).toMatch(/^10 calls replayed, 10 unchanged\./m);
      expect(err).toContain(`Test run ${id}: 10 items`);
      expect(await getRun(id)).toMatchObject({ status: 'finished', totals: { items: 10, same: 10 } });
      const { items } = await service.get<Page<TestRunItemSummary>>(`/test-runs/${id}/items?limit=50`);
      expect(items.map(({ item_no }) => item_no).sort((a, b) => a - b)).toEqual([...Array(10).keys()]);
    });
  });

  it('writes a JUnit file with the gate and each item, a comment that begins with the decision, and a page', async () => {
    const junit = join(folder, 'reports/replay.xml');
    const markdown = join(folder, 'reports/replay.md');
    const html = join(folder, 'reports/replay.html');
    const files = ['--junit', junit, '--markdown', markdown, '--html', html];
    const { exit } = await replay([COMMONJS, '--export', 'greet', '--gate', '{"changed":0}', ...files]);
    expect(exit).toBe(5);

    const suites = parseXml(await readFile(junit, 'utf8'));
    expect([suites.name, suites.attributes]).toMatchObject([
      'testsuites',
      { tests: '4', failures: '2', errors: '0' },
    ]);
    const cases = findElements(suites, 'testcase');
    expect(
      cases.map(({ attributes, children }) => [
        attributes['classname'],
        attributes['name']?.replace(/[0-9a-f]{16}/, '…'),
        children.map(({ name }) => name),
      ]),
    ).toEqual([
      ['greet', 'gate', ['failure']],
      ['greet', 'call …', expect.any(Array)],
      ['greet', 'call …', expect.any(Array)],
      ['greet', 'call …', expect.any(Array)],
    ]);
    expect(findElements(suites, 'failure').map(({ text }) => text)).toEqual([
      'Failed 1 of 4 checks.\nchanged: 1 (limit: at most 0)\n1 of 3 items changed; the gate allows none.',
      expect.stringMatching(/^changed\nInput: "Zoe"\nBaseline: "Hi Zoe"\nCandidate: "Hello Zoe"\n/),
    ]);

    const comment = await readFile(markdown, 'utf8');
    const [decision, checks, why, totals] = comment.split('\n\n');
    expect([decision, why]).toEqual([
      '## Failed 1 of 4 checks: greet',
      '- 1 of 3 items changed; the gate allows none.',
    ]);
    expect(checks).toContain('| changed | at most 0 | 1 |');
    expect(totals).toMatch(
      /^3 calls replayed, 2 unchanged, 1 changed\..* \[Open the run\]\(<http:\/\/\S+\/test-runs\/\S+>\)$/,
    );
    expect(comment).toContain('- Input: `"Zoe"`\n- Baseline: `"Hi Zoe"`\n- Candidate: `"Hello Zoe"`\n');
    const [, looked = ''] = /\[Open the trace\]\(<([^>]+)>\)/.exec(comment) ?? [];
    expect(await readFile(html, 'utf8')).toMatch(
      /^<!doctype html>[^]*Failed 1 of 4 checks[^]*<ins>Hello<\/ins> Zoe/,
    );
    expect(looked).toContain(`${service.url}/traces/`);
    await service.get(looked.slice(service.url.length));
  });

  it('fails and reports the reason when a report cannot be written', async () => {
    const { exit, err } = await replay([COMMONJS, '--export', 'greet', '--junit', ROOT]);
    expect([exit, err]).toEqual([1, expect.stringContaining('[CLI_FILE_UNWRITABLE]')]);
  });
});
