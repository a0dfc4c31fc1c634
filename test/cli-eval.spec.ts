import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page, RunComparison, TestRunRecord } from '@dacapo/protocol';
import { type Ended, RunningReplay } from './cli-replay/run-replay.js';
import { CommandHost } from '../libs/cli/test/command-host.js';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { removeFolder } from './support/remove-folder.js';

/** The example in the documents, loaded by `tsx` of this workspace. */
const GUIDE = readFileSync(join(ROOT, 'docs/evaluation.md'), 'utf8');
const [, SUPPORT = ''] = /<!-- file: support\.eval\.ts -->\n```ts\n([^]*?)```/.exec(GUIDE) ?? [];
/** Prints at each call. */
const CLASSIFY = `
export async function classify(message: string): Promise<string> {
  console.log('classifying');
  return /charged|refund/.test(message) ? 'billing' : 'other';
}`;

const PRINTS = `
import { classify } from './classify.js';
export default { data: [{ input: 'late', expected: 'other' }], function: classify };`;

describe('dacapo eval', () => {
  let folder: string;
  let host: CommandHost;

  beforeAll(async () => {
    host = CommandHost.start();
    folder = await mkdtemp(join(tmpdir(), 'dacapo-eval-'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await write('classify.ts', CLASSIFY);
    await write('support.eval.ts', SUPPORT);
    await write('prints.eval.ts', PRINTS);
  });
  afterAll(async () => {
    await host.close();
    await removeFolder(folder);
  });

  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  /** Runs without a service, unless `env` names one. */
  const start = (args: string[], env: Record<string, string> = {}): RunningReplay =>
    RunningReplay.start(args, { TRACER_API_KEY: '', ...env }, folder, 'eval');
  const evaluateInProcess = (...args: string[]): Promise<Ended> => start(args).ended();
  const evaluate = (...args: string[]): ReturnType<CommandHost['run']> =>
    host.run(['eval', ...args], { TRACER_API_KEY: '' }, folder);

  it('prints a table of input, output and score, and evaluates in memory without an API key', async () => {
    const { exit, out, err } = await evaluateInProcess('support.eval.ts');
    expect(out).toMatch(/^support\.eval\.ts: 2 items\n\nItem +Input +Output +exact +Duration\n/);
    expect(out).toMatch(/\ndouble charge +I was charged twice\. +billing +1 +[\d.]+ ms\n#1 +Where/);
    expect(out).toContain('Passed 5 checks: support\n');
    expect(err).toMatch(/^TypeScript is loaded by tsx\.\nNo API key: runs stay in memory\./);
    expect(exit).toBe(0);
  });

  it('prints only the report to stdout, and the output of the function to stderr', async () => {
    const { out, err } = await evaluateInProcess('prints.eval.ts');
    expect(out).not.toContain('classifying');
    expect(err).toContain('classifying\n');
  });

  it('prints only JSON with --json', async () => {
    const { exit, out, err } = await evaluate('support.eval.ts', '--json');
    expect(JSON.parse(out)).toMatchObject({
      evals: [
        {
          file: 'support.eval.ts',
          name: 'support',
          rows: [
            {
              name: 'double charge',
              input: 'I was charged twice.',
              outcomes: [{ output: 'billing', scores: [{ name: 'exact', score: true }] }],
            },
            { itemNo: 1, outcomes: [{ output: 'other' }] },
          ],
          runs: [{ title: 'support', passed: true, status: 'finished' }],
          comparisons: [],
        },
      ],
      failed: [],
    });
    expect(err).toBe('');
    expect(exit).toBe(0);
  });

  it.each([
    ['module.mjs', 'export default { data: [{ input: 1 }], function: (n) => n };'],
    ['module.cjs', 'module.exports = { data: [{ input: 1 }], function: (n) => n };'],
    ['module.cts', 'export default { data: [{ input: 1 as number }], function: (n: number) => n };'],
    [
      'module.mts',
      'export default { data: await Promise.resolve([{ input: 1 }]), function: (n: number) => n };',
    ],
  ])('loads %s, a plain object', async (name, text) => {
    await write(name, text);
    const { exit, out } = await evaluateInProcess(name);
    expect(out).toMatch(/\n#0 +1 +1 /);
    expect(exit).toBe(0);
  });

  it('loads TypeScript of an ES module project', async () => {
    await write('esm/package.json', '{"type":"module"}');
    await write('esm/classify.ts', CLASSIFY);
    await write('esm/prints.eval.ts', PRINTS);
    expect((await evaluateInProcess('esm')).exit).toBe(0);
  });

  it('compares variants in a grid and reports significance', async () => {
    await write(
      'variants.eval.ts',
      `export default {
        data: Array.from({ length: 10 }, (_, n) => ({ input: n, expected: n })),
        function: (n: number, { wrong }: { wrong: boolean }) => (wrong ? -1 : n),
        variants: { right: { wrong: false }, wrong: { wrong: true }, odd: (n: number) => (n % 2 ? n : -1) },
        evaluators: { correct: ({ output, expected }: { output: number; expected?: number }) => output === expected },
      };`,
    );
    const files = ['--markdown', 'reports/comment.md', '--html', 'pages/page.html'];
    const { exit, out } = await evaluate('variants.eval.ts', ...files);
    expect(out).toMatch(/\nItem +Input +right +wrong +odd\n#0 +0 +\(1\) 0 +\(0\) -1 +\(0\) -1\n/);
    expect(out).toMatch(/\n +Mean +correct 1 +correct 0 +correct 0\.5\n/);
    expect(out).toContain('correct: right is better than wrong, 1 against 0 (p = 0.0059, n = 10)\n');
    expect(out).toContain(
      'correct: no evidence of a difference between right and odd, 1 against 0.5 (p = 0.13, n = 10)\n',
    );
    expect((await readdir(join(folder, 'reports'))).sort()).toEqual([
      'comment.md',
      'comment.variants.odd.md',
      'comment.variants.right.md',
      'comment.variants.wrong.md',
    ]);
    expect(await readFile(join(folder, 'reports/comment.variants.right.md'), 'utf8')).toContain(
      'right is better than wrong',
    );
    const comment = await readFile(join(folder, 'reports/comment.md'), 'utf8');
    expect(comment).toContain('| Item | Input | right | wrong | odd |\n');
    expect(comment).toContain(
      '| \\#\u200b0 | `0` | `0`<br>correct 1 | `-1`<br>correct 0 | `-1`<br>correct 0 |',
    );
    const page = await readFile(join(folder, 'pages/page.html'), 'utf8');
    for (const text of ['correct: right is better than wrong', '<th>right</th><th>wrong</th><th>odd</th>'])
      for (const report of [comment.replaceAll('\\', ''), page])
        if (report === page || !text.startsWith('<')) expect(report).toContain(text);
    expect(exit).toBe(0);
  });

  it('masks secrets in the table, the JSON and the reports, and shows the names of items', async () => {
    const secret = `sk-proj-${'a1B2c3D4'.repeat(5)}`;
    await write(
      'secrets.eval.mjs',
      `
      const answer = (text, how) => { if (how === 'throws') throw new Error(text); return { text, password: 'hunter2-and-more' }; };
      export default {
        data: [{ name: 'a key', input: 'use ${secret}', expected: 'x' }],
        function: answer, variants: { returns: 'returns', throws: 'throws' },
        evaluators: { seen: ({ output }) => ({ score: 'saw ${secret}', explanation: '${secret}' }) },
      };`,
    );
    const reports = ['markdown', 'html', 'junit'].flatMap((format) => [
      `--${format}`,
      `secrets/report.${format}`,
    ]);
    const texts = [
      (await evaluate('secrets.eval.mjs', ...reports)).out,
      (await evaluate('secrets.eval.mjs', '--json')).out,
    ];
    for (const name of await readdir(join(folder, 'secrets')))
      texts.push(await readFile(join(folder, 'secrets', name), 'utf8'));
    expect(texts).toHaveLength(10);
    for (const text of texts) {
      expect(text).toContain('[redacted');
      expect(text).toContain('a key');
      expect(text).not.toMatch(/a1B2c3D4|hunter2/);
    }
  });

  it('prints the report and exits with 5 when a gate fails', async () => {
    await write('fails.eval.ts', SUPPORT.replace("expected: 'other'", "expected: 'delivery'"));
    const { exit, out, err } = await evaluate('fails.eval.ts', '--junit', 'junit.xml');
    expect(out).toMatch(
      /\nFailed 1 of 5 checks: fails\n[^]*\n- exact is 0\.5 over 2 items; the gate requires at least 0\.9\.\n/,
    );
    expect(err).toContain('[CLI_GATE_FAILED]');
    expect(await readFile(join(folder, 'junit.xml'), 'utf8')).toContain('<testsuite name="fails"');
    expect(exit).toBe(5);
  });

  it('counts an item whose function throws as an error, and evaluates the others', async () => {
    await write(
      'throws.eval.mjs',
      `
      const check = (n) => { if (n === 1) throw new RangeError('too small'); return n; };
      export default { data: [{ input: 1 }, { input: 2 }], function: check, gate: { errors: 0 } };`,
    );
    const { exit, out } = await evaluate('throws.eval.mjs');
    expect(out).toMatch(/\n#0 +1 +RangeError: too small +[\d.]+ ms\n#1 +2 +2 /);
    expect(exit).toBe(5);
  });

  it.each<[string, string, number, string]>([
    ['no default export', 'export const data = [];', 2, 'has no default export that defines an evaluation.'],
    [
      'a typo',
      'export default { data: [], function: (n) => n, evaluator: [] };',
      2,
      'Did you mean "evaluators"?',
    ],
    [
      'a gate with a typo',
      'export default { data: [{ input: 1 }], function: (n) => n, gate: { erors: 0 } };',
      2,
      'errors',
    ],
    [
      'an item with a typo',
      'export default { data: [{ inputs: 1 }], function: (n) => n };',
      2,
      'evaluate.data[0].inputs is unknown',
    ],
    [
      'a missing data file',
      "export default { data: 'none.csv', function: (n) => n };",
      2,
      'none.csv cannot be read (ENOENT)',
    ],
    [
      'a dataset without a service',
      "export default { data: { dataset: 'tickets' }, function: (n) => n };",
      2,
      'No API key. Set TRACER_API_KEY or pass --api-key',
    ],
    ['no items', 'export default { data: [], function: (n) => n };', 4, 'data has no items.'],
    ['a module that throws', "throw new Error('no config');", 1, 'cannot be loaded: no config.'],
  ])('refuses %s', async (what, text, code, message) => {
    const file = `${what.replaceAll(' ', '-')}.eval.mjs`;
    await write(file, text);
    const { exit, out, err } = await evaluate(file);
    expect(err).toContain(message);
    expect(out).toBe('');
    expect(exit).toBe(code);
  });

  it('evaluates several files, prints a summary, and exits with the most severe code', async () => {
    await write('many/a.eval.mjs', 'export default { data: [{ input: 1 }], function: (n) => n };');
    await write('many/b.eval.mjs', 'export default { data: [], function: (n) => n };');
    await write(
      'many/c.eval.mjs',
      'export default { data: [{ input: 1 }], function: () => { throw 1; }, gate: { errors: 0 } };',
    );
    const { exit, out, err } = await evaluate('many/*.eval.mjs');
    expect(out).toMatch(
      /3 eval files, 2 failed\n✓ many\/a\.eval\.mjs\n✗ many\/b\.eval\.mjs \(CLI_NOTHING_TO_EVALUATE\)\n✗ many\/c\.eval\.mjs \(CLI_GATE_FAILED\)\n$/,
    );
    expect(err).toContain('2 of 3 eval files failed: many/b.eval.mjs, many/c.eval.mjs. [CLI_EVALS_FAILED]');
    expect(exit).toBe(4);
  });

  it('never exits with 0 when the code under evaluation ends the process', async () => {
    await write('ends.eval.mjs', 'export default { data: [{ input: 1 }], function: () => process.exit(0) };');
    const { exit, err } = await evaluateInProcess('ends.eval.mjs');
    expect(err).toContain('The eval process exited with 0 before it reported the result.');
    expect(exit).toBe(1);
  });

  it('reports the evaluated items on Ctrl+C, and exits with 130', async () => {
    await write(
      'slow.eval.mjs',
      `
      import { existsSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      const slow = async (n) => {
        while (n > 2 && !existsSync('go')) await sleep(5);
        return n;
      };
      export default { data: [1, 2, 3, 4].map((input) => ({ input })), function: slow, maxConcurrency: 1, variants: { a: slow, b: slow } };`,
    );
    const running = start(['slow.eval.mjs']);
    await running.says(/2 of 4/);
    running.kill('SIGINT');
    await running.says(/Stopping after the running calls/);
    await write('go', '');
    const { exit, out, err } = await running.ended();
    expect(out).toContain('slow.eval.mjs: 3 items, 2 variants');
    expect(err).toContain(
      'slow.eval.mjs: the evaluation ended early. Run the command again. [CLI_EVAL_INTERRUPTED]',
    );
    expect(exit).toBe(130);
  });

  it('runs again when an imported module or the data changes, until Ctrl+C', async () => {
    await write('watched/word.mjs', "export const word = 'one';");
    await write('watched/rows.csv', 'input,expected\n1,one\n');
    await write(
      'watched/a.eval.mjs',
      `
      import { word } from './word.mjs';
      export default { data: 'rows.csv', function: () => { console.log('gave ' + word); return word; } };`,
    );
    const running = start(['watched/a.eval.mjs', '--watch']);
    await running.says(/gave one\n[^]*1 same/);
    await running.says(/Waiting for changes/);
    await write('watched/word.mjs', "export const word = 'two';");
    await running.says(/gave two\n[^]*1 changed/);
    await running.says(/(?:Waiting for changes[^]*){2}/);
    await write('watched/rows.csv', 'input,expected\n1,two\n');
    await running.says(/gave two\n[^]*gave two\n[^]*1 same/);
    running.kill('SIGINT');
    expect((await running.ended()).exit).toBe(130);
  });

  it('continues after a syntax error, a deleted file, and two quick saves', async () => {
    const evalFile = (word: string): string =>
      `export default { data: [{ input: 1 }], function: () => { console.log('gave ${word}'); return 1; } };`;
    const file = 'again/a.eval.mjs';
    await write(file, evalFile('one'));
    const running = start([file, '--watch']);
    await running.says(/gave one/);
    await running.says(/Waiting for changes/);
    await write(file, 'const broken = ;');
    await running.says(/cannot be loaded: Unexpected token ';'\. Fix the module/);
    await running.says(/(?:Waiting for changes[^]*){2}/);
    await write(file, evalFile('two'));
    await running.says(/gave two[^]*Waiting for changes/);
    await rm(join(folder, file));
    await running.says(/a\.eval\.mjs: does not exist[^]*Waiting for changes/);
    await write(file, evalFile('three'));
    await running.says(/gave three[^]*Waiting for changes/);
    await write(file, evalFile('four'));
    await write(file, evalFile('five'));
    await running.says(/gave five[^]*Waiting for changes/);
    // Some editors replace the file when they save.
    for (const word of ['six', 'seven']) {
      await write('again/saved', evalFile(word));
      await rename(join(folder, 'again/saved'), join(folder, file));
      await running.says(new RegExp(`gave ${word}[^]*Waiting for changes`));
    }
    running.kill('SIGTERM');
    expect((await running.ended()).exit).toBe(143);
  });

  it.each<[string, string, string]>([
    ['an ES module', 'back.eval.mjs', "import { word } from './lib/word.mjs';"],
    ['a CommonJS module', 'back.eval.cjs', "const { word } = require('./lib/word.cjs');"],
    ['a TypeScript module', 'back.eval.ts', "import { word } from './lib/word.js';"],
  ])('runs again when %s returns after it was missing, with or without its folder', async (_, name, line) => {
    const kind = name.split('.').at(-1) ?? '';
    const folderName = `back-${kind}`;
    const word = `${folderName}/lib/word.${kind}`;
    const exportWord = (text: string): string =>
      kind === 'cjs' ? `exports.word = '${text}';` : `export const word = '${text}';`;
    const body = "{ data: [{ input: 1 }], function: () => { console.log('gave ' + word); return 1; } };";
    const exported = kind === 'cjs' ? 'module.exports =' : 'export default';
    await write(`${folderName}/${name}`, `${line}\n${exported} ${body}`);
    const running = start([`${folderName}/${name}`, '--watch']);
    let waits = 0;
    const waiting = (): Promise<unknown> =>
      running.says(new RegExp(`(?:Waiting for changes[^]*){${++waits}}`));
    await running.says(/cannot be loaded: Cannot find module/);
    await waiting();
    await write(word, exportWord('one'));
    await running.says(/gave one/);
    await waiting();
    await rm(join(folder, word));
    await waiting();
    await write(word, exportWord('two'));
    await running.says(/gave two/);
    await waiting();
    await rm(join(folder, folderName, 'lib'), { recursive: true });
    await waiting();
    await write(word, exportWord('three'));
    await running.says(/gave three/);
    running.kill('SIGINT');
    expect((await running.ended()).exit).toBe(130);
  });

  describe('with a service', () => {
    let service: DacapoServe;
    beforeAll(async () => (service = await startDacapoServe()));
    afterAll(() => service.close());

    it('stores each variant as a test run, and prints its address', async () => {
      await write(
        'stored.eval.mjs',
        `
        export default { data: [{ input: 'late', expected: 'late' }], function: (a, b) => a + b, variants: { empty: '', more: '!' } };`,
      );
      const { exit, out } = await start(['stored.eval.mjs'], service.env).ended();
      expect(exit).toBe(0);
      const { items } = await service.get<Page<TestRunRecord>>('/test-runs');
      expect(items.map(({ name }) => name).sort()).toEqual(['stored · empty', 'stored · more']);
      for (const { id } of items) expect(out).toContain(`/test-runs/${id}`);
      const [more, empty] = ['more', 'empty'].map(
        (variant) => items.find(({ name }) => name?.endsWith(variant))!.id,
      );
      expect(out).toContain(
        `empty and more: ${service.env['TRACER_SERVICE_URL']}/test-runs/${more}/compare?with=${empty}\n`,
      );
      const { totals, items: pairs } = await service.get<RunComparison>(
        `/test-runs/${more}/compare?with=${empty}`,
      );
      expect(totals).toMatchObject({ regressed: 1, only_here: 0, only_there: 0 });
      expect(pairs).toHaveLength(1);
    });

    it('evaluates recorded calls and datasets, with the tracer of the application', async () => {
      await write(
        'recorded.mjs',
        `
        import { Tracer } from '@dacapo/tracer';
        export const tracer = new Tracer({ apiKey: process.env.TRACER_API_KEY, serviceUrl: process.env.TRACER_SERVICE_URL });
        export const greet = tracer.withSpan('greet', (name) => 'Hello ' + name);`,
      );
      await write(
        'record.eval.mjs',
        `
        import { greet, tracer } from './recorded.mjs';
        greet('Ann'); greet('Bob');
        await tracer.flush();
        export default { data: { key: 'greet' }, function: (name) => 'Hi ' + name };`,
      );
      const { exit, out } = await start(['record.eval.mjs'], service.env).ended();
      expect(out).toMatch(/\n#0 +Bob +Hi Bob /);
      expect(out).toContain('2 calls replayed, 2 changed.');
      expect(exit).toBe(0);
    });

    it('exits with 3 when no service answers', async () => {
      const away = { TRACER_API_KEY: 'k', TRACER_SERVICE_URL: 'http://127.0.0.1:9' };
      expect((await start(['support.eval.ts'], away).ended()).exit).toBe(3);
    });
  });
});
