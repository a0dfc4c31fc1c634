import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ask, connectAgent, ownWords } from './mcp/mcp-project.js';
import { ProofProject } from './proof-project.js';
import { type Account, openAccount } from './running-service.js';

jest.setTimeout(600_000);

const PACKAGE = JSON.stringify({ name: 'desk', scripts: { test: 'node --test' } });
const CONFIG = JSON.stringify({
  replay: { module: 'src/desk.js', keys: ['support.*'] },
  test: { command: [process.execPath, '--test'] },
});

/** @param line computes the number of items of an order; order 13 has none */
const desk = (line: string): string => `
const { Tracer } = require('@dacapo/tracer');
const tracer = new Tracer({ apiKey: process.env.TRACER_API_KEY, serviceUrl: process.env.TRACER_SERVICE_URL });
const find = tracer.withSpan('orders.find', { kind: 'tool' }, async (id) => (id === 13 ? { id } : { id, items: Array(id).fill('x') }));
exports.tracer = tracer;
exports.answer = tracer.withSpan('support.answer', async (id) => {
  const order = await find(id);
  ${line}
  return { text: 'Order ' + id + ' has ' + items + ' items.' };
});
`;
const BROKEN = desk('const items = order.items.length;');
const FIXED = desk('const items = (order.items ?? []).length;');
/** The recorded call is well, and every other one is another. */
const SPECIAL = desk("const items = order.id === 13 ? 0 : order.items.length + ' or so';");
const RECORD = `
const { answer, tracer } = require('./src/desk.js');
(async () => {
  for (let id = 1; id <= 24; id++) await answer(id).catch(() => undefined);
  await tracer.shutdown();
})();
`;
/** What an agent writes when `save_cassette` has answered. */
const AGENTS_TEST = `
const { test } = require('node:test');
const assert = require('node:assert');
const { withCassette } = require('@dacapo/testing');
const { answer } = require('../src/desk.js');
test('an order without items has no items', () =>
  withCassette('lost/order', { expect: 'fixed' }, async () => {
    assert.deepEqual(await answer(13), { text: 'Order 13 has 0 items.' });
  }));
`;

describe('A failed call', () => {
  let account: Account;
  let project: ProofProject;
  let traceId = '';
  beforeAll(async () => {
    account = await openAccount();
  });
  beforeEach(async () => {
    const env = { TRACER_SERVICE_URL: account.url, TRACER_API_KEY: account.apiKey };
    const files = {
      'package.json': PACKAGE,
      'dacapo.config.json': CONFIG,
      'src/desk.js': BROKEN,
      'record.js': RECORD,
    };
    project = await ProofProject.create(files, env);
    if (traceId === '') {
      await project.node('record.js');
      const { items } = await account.json('traces', 'list', 'status:error');
      traceId = items[0].id;
    }
  });
  afterEach(() => project.remove());

  const reproduce = async (): Promise<void> => {
    const { code, err } = await project.dacapo('reproduce', traceId, '--name', 'lost');
    expect([code, err]).toEqual([0, '']);
  };

  it('becomes a red test, which replaces no file', async () => {
    const first = await project.dacapo('reproduce', traceId, '--run');
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toContain('it replays answer of src/desk.js');
    expect(first.out).toContain('Red: the test fails as the call did.');
    const name = `reproduced-${traceId.slice(0, 13)}`;
    const text = project.read(`test/${name}.test.js`);
    const again = await project.dacapo('reproduce', traceId);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('CLI_FILE_EXISTS')]);
    expect(project.read(`test/${name}.test.js`)).toBe(text);
    project.write({ 'src/desk.js': FIXED });
    const notRed = await project.dacapo('reproduce', traceId, '--name', 'other', '--run');
    expect([notRed.code, notRed.err]).toEqual([1, expect.stringContaining('does not fail with this code')]);
  });

  it('is proved to be fixed, and the proof is checked without a key, a service and a network', async () => {
    await reproduce();
    project.write({ 'src/desk.js': FIXED });
    const { code, out, err } = await project.dacapo('prove');
    expect([code, out, err]).toEqual([0, expect.stringContaining('Proved: lost'), expect.anything()]);
    expect(out).toContain('20 of 20 unharmed, 0 harmed, 0 unknown');
    const proof = project.read('proofs/lost.md');
    expect(proof).toContain(
      '**0 of 20 other calls harmed.** 95 % interval of the share that is harmed: 0.0 % to 16.1 %.',
    );
    expect(await project.leftBehind()).toMatchObject({ temporary: [], worktrees: 1, branch: 'main' });

    await project.commit('Fix orders without items');
    const check = (...words: string[]) =>
      project.run(...withoutNetwork([...words]), {
        TRACER_API_KEY: '',
        TRACER_SERVICE_URL: 'http://127.0.0.1:9',
      });
    const checked = await check();
    expect([checked.code, checked.err]).toEqual([0, '']);
    expect(checked.out).toBe('ok     proofs/lost.md: green, 20 of 20 other calls unharmed\n');

    const spoilt: [string, (text: string) => string, string][] = [
      ['proofs/lost.md', (text) => text.replace('"calls": 20', '"calls": 40'), 'its data was edited'],
      ['proofs/lost.md', (text) => text.replace('0 of 20 other', '0 of 200 other'), 'its text was edited'],
      [
        'proofs/lost.ndjson',
        (text) => text.replace('Order 5 has 5', 'Order 5 has 6'),
        'The other calls in proofs/lost.ndjson were changed',
      ],
      [
        'test/cassettes/lost.ndjson',
        (text) => text.replace('undefined', 'nothing'),
        'The cassette lost was changed',
      ],
      [
        'test/lost.test.js',
        (text) => text.replace('await tape.replay', 'await 0, tape.replay'),
        'The test of the cassette was changed',
      ],
      ['dacapo.config.json', (text) => text.replace('support.*', '*'), 'dacapo.config.json was changed'],
      ['src/desk.js', () => BROKEN, 'The test is not green'],
      ['src/desk.js', () => SPECIAL, 'Other call 1 is no longer as recorded'],
    ];
    for (const [path, spoil, problem] of spoilt) {
      const text = project.read(path);
      expect(spoil(text)).not.toBe(text);
      project.write({ [path]: spoil(text) });
      const failed = await check();
      expect([failed.code, failed.out]).toEqual([1, expect.stringContaining(problem)]);
      project.write({ [path]: text });
    }
  });

  it('is not proved to be fixed by a change that harms other calls', async () => {
    await reproduce();
    await project.commit('Answer the recorded call', { 'src/desk.js': SPECIAL });
    const { code, out, err } = await project.dacapo('prove', 'lost', '--base', 'HEAD~1');
    expect([code, err]).toEqual([1, expect.stringContaining('CLI_NOT_PROVED')]);
    expect(out).toContain('0 of 20 unharmed, 20 harmed');
    expect(out).toContain(
      'Other call 1 is harmed: the base does what was recorded, but with this change its output differs',
    );
    expect(() => project.read('proofs/lost.md')).toThrow('ENOENT');
  });

  it.each([
    ['does not compile', `${BROKEN}}`, 'no test ran on the cassette'],
    ['fails otherwise', desk("throw new RangeError('no database');"), 'RangeError: no database'],
    ['does not fail', FIXED, 'the recorded failure does not occur there'],
  ])('is not proved to be fixed when the base %s', async (_, source, reason) => {
    await project.commit('A base', { 'src/desk.js': source });
    await reproduce();
    await project.commit('A fix', { 'src/desk.js': `${FIXED}// fixed\n` });
    const { code, out } = await project.dacapo('prove', 'lost', '--base', 'HEAD~1', '--others', '0');
    expect([code, out]).toEqual([1, expect.stringContaining('NOT PROVED: lost')]);
    expect(out).toContain(reason);
  });

  it('is proved with other calls that are unknown only where this is allowed', async () => {
    await reproduce();
    const asking = desk('if (id > 21) await find(id + 100); const items = (order.items ?? []).length;');
    project.write({ 'src/desk.js': asking });
    const prove = (allowed: string) => project.dacapo('prove', '--allow-unknown', allowed);
    const refused = await prove('2');
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringContaining('17 of 20 unharmed, 0 harmed, 3 unknown'),
    ]);
    const { code, out } = await prove('3');
    expect([code, out]).toEqual([0, expect.stringContaining('Proved: lost')]);
    expect(project.read('proofs/lost.md')).toContain('3 unknown');
  });

  it('is proved on a branch that was merged with main, against the commit that both share', async () => {
    await project.git('switch', '--quiet', '--create', 'fix');
    await reproduce();
    await project.commit('Fix orders without items', { 'src/desk.js': FIXED });
    await project.git('switch', '--quiet', 'main');
    await project.commit('Another change', { 'notes.txt': 'other' });
    await project.git('switch', '--quiet', 'fix');
    await project.git('merge', '--quiet', '--no-edit', 'main');
    const { code, out } = await project.dacapo('prove', '--others', '0');
    expect([code, out]).toEqual([0, expect.stringContaining('Proved: lost')]);
    expect(project.read('proofs/lost.md')).toContain((await project.git('rev-parse', 'main')).slice(0, 8));
  });

  it('is not proved by a program that runs into its timeout', async () => {
    const prepare = [[process.execPath, '-e', 'setInterval(() => {}, 1000)']];
    await project.commit('Prepare for ever', {
      'dacapo.config.json': JSON.stringify({ ...JSON.parse(CONFIG), prepare }),
    });
    await reproduce();
    project.write({ 'src/desk.js': FIXED });
    const { code, out, err } = await project.dacapo('prove', '--others', '0', '--timeout', '1');
    expect([code, out + err]).toEqual([1, expect.stringContaining('ran into its timeout')]);
    expect(await project.leftBehind()).toMatchObject({ temporary: [], worktrees: 1 });
  });

  it('leaves nothing behind when a signal stops the proof', async () => {
    const config = JSON.stringify({
      ...JSON.parse(CONFIG),
      prepare: [[process.execPath, '-e', 'setInterval(() => {}, 1000)']],
    });
    await project.commit('Prepare for ever', { 'dacapo.config.json': config });
    await reproduce();
    const { code, err } = await project.run(
      process.execPath,
      [join(__dirname, '../bin/dacapo.cjs'), 'prove', 'lost', '--others', '0'],
      {},
      (text, stop) => {
        if (text.includes('Running on the base'))
          setTimeout(() => {
            stop('SIGINT');
          }, 1_000);
      },
    );
    expect([code, err]).toEqual([130, expect.stringContaining('CLI_STOPPED')]);
    expect(await project.leftBehind()).toMatchObject({ temporary: [], worktrees: 1, branch: 'main' });
  });

  it('is traced to the commit that broke it, past commits that show nothing', async () => {
    await reproduce();
    const files = ['test/cassettes/lost.ndjson', 'test/lost.test.js'] as const;
    const [cassette, test] = files.map((path) => project.read(path));
    const other = await ProofProject.create(
      { 'package.json': PACKAGE, 'dacapo.config.json': CONFIG, 'src/desk.js': FIXED },
      {},
    );
    try {
      const sources = ['', '', '', 'syntax error(', '', 'broken', 'broken', 'broken'];
      const ids: string[] = [];
      for (const [index, state] of sources.entries()) {
        const source = state === 'broken' ? BROKEN : `${FIXED}${state}`;
        ids.push(await other.commit(`Commit ${index + 2}`, { 'src/desk.js': `${source}\n// ${index}` }));
      }
      other.write({ [files[0]]: cassette ?? '', [files[1]]: test ?? '' });
      const before = await other.leftBehind();
      const byTest = await other.dacapo('bisect', 'lost', '--good', 'HEAD~8');
      expect([byTest.code, byTest.out]).toEqual([
        0,
        expect.stringMatching(`^First bad commit: ${ids[5]?.slice(0, 8) ?? ''} Commit 7 \\(Ann, `),
      ]);
      expect(byTest.err).toContain('skip');
      expect(await other.leftBehind()).toEqual(before);
      expect(before).toMatchObject({ temporary: [], worktrees: 1 });
    } finally {
      await other.remove();
    }
  });

  it('is traced to several commits when none of them shows more', async () => {
    const good = await project.commit('Good', { 'src/desk.js': FIXED });
    const unknown = await project.commit('Unknown', { 'src/desk.js': `${FIXED}syntax error(` });
    const bad = await project.commit('Bad', { 'src/desk.js': BROKEN });
    const { code, out, err } = await project.dacapo('bisect', traceId, '--good', good, '--json');
    expect([code, err]).toEqual([1, expect.stringContaining('CLI_BISECT_UNDECIDED')]);
    expect([...JSON.parse(out).first_bad].sort()).toEqual([bad, unknown].sort());
    const swapped = await project.dacapo('bisect', traceId, '--good', 'HEAD~3');
    expect([swapped.code, swapped.err]).toEqual([
      1,
      expect.stringContaining('On the --good commit, the call does not return'),
    ]);
  });

  it('is found, fixed and saved by a coding agent in four calls of tools, and then proved', async () => {
    const agent = await connectAgent(project.folder, project.env);
    try {
      const call = { key: 'support.answer', trace_ids: [traceId] };
      expect((await ask(agent, 'find_calls', { status: 'error' })).text).toContain(traceId);
      const red = await ask(agent, 'replay_calls', call);
      expect(ownWords(red.text)).toMatch(/^NOT VERIFIED: 1 of 1 named calls still fail as recorded\./);
      project.write({ 'src/desk.js': FIXED });
      const green = await ask(agent, 'replay_calls', call);
      expect(ownWords(green.text)).toMatch(
        /^VERIFIED: 1 of 1 named calls fixed, 10 of 10 other calls unharmed/,
      );
      const saved = await ask(agent, 'save_cassette', {
        key: 'support.answer',
        trace_id: traceId,
        name: 'lost/order',
      });
      expect(saved.text).toContain("withCassette('lost/order', { expect: 'fixed' }");
    } finally {
      await agent.close();
    }
    project.write({ 'test/lost.test.js': AGENTS_TEST });
    const { code, out } = await project.dacapo('prove');
    expect([code, out]).toEqual([0, expect.stringContaining('Proved: lost/order')]);
    expect(out).toContain('20 of 20 unharmed, 0 harmed, 0 unknown');
  });

  it('is proved in Jest', async () => {
    const command = [process.execPath, join(__dirname, '../../../node_modules/jest/bin/jest.js')];
    const config = JSON.stringify({ ...JSON.parse(CONFIG), test: { command } });
    await project.commit('Use Jest', {
      'dacapo.config.json': config,
      'package.json': '{"name":"desk","jest":{}}',
    });
    await reproduce();
    project.write({ 'src/desk.js': FIXED });
    expect(project.read('test/lost.test.js')).not.toContain('node:test');
    const { code, out } = await project.dacapo('prove', '--others', '0');
    expect([code, out]).toEqual([0, expect.stringContaining('Proved: lost')]);
    expect(project.read('proofs/lost.md')).toContain('**No other call was replayed**');
  });
});

/** Checks in a network namespace without interfaces, where the system allows one. */
function withoutNetwork(words: readonly string[]): [string, string[]] {
  const command = [process.execPath, join(__dirname, '../bin/dacapo.cjs'), 'prove', '--check', ...words];
  try {
    execFileSync('unshare', ['--user', '--map-root-user', '--net', 'true'], { stdio: 'ignore' });
    return ['unshare', ['--user', '--map-root-user', '--net', ...command]];
  } catch {
    return [command[0] ?? '', command.slice(1)];
  }
}
