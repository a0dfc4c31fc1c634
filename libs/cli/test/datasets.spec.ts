import { newSpanId, newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, openAccount } from './running-service.js';
import { removeFolder } from '../../../test/support/remove-folder.js';

let service: Account;
let folder: string;

beforeEach(async () => {
  service = await openAccount();
  folder = await mkdtemp(join(tmpdir(), 'dacapo-datasets-'));
});

afterEach(async () => {
  await removeFolder(folder);
});

const ADD = ['datasets', 'add', 'tickets'];
const write = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};
const exported = async (...more: string[]) => {
  const { out } = await service.run('datasets', 'export', 'tickets', ...more);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};
const post = async (path: string, body: unknown, type = 'application/json') => {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'api-key': service.apiKey, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return response.json();
};

/** A recorded call of the key `classify`. */
async function record(input: string, output: string): Promise<{ trace_id: string; id: string }> {
  const span = {
    id: newSpanId(),
    trace_id: newTraceId(),
    trace_function_key: 'classify',
    name: 'classify',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    span_data: { input: [input], output },
  };
  await post(API.ingest.send.path, JSON.stringify({ span }), 'application/x-ndjson');
  return span;
}

describe('dacapo datasets', () => {
  it('makes, lists, shows and deletes', async () => {
    const empty = await service.run('datasets', 'list');
    expect(empty.out).toBe('No datasets yet. Create one: `dacapo datasets create <name>`.\n');
    const created = await service.run('datasets', 'create', 'tickets', '--description', 'of June');
    expect(created.out).toContain('dacapo datasets add tickets --file');
    expect((await service.run('datasets', 'show', 'tickets')).out).toContain('tickets has no items yet');
    const file = await write('a.jsonl', '{"input":"late"}\n{"args":["a",2]}\n');
    await service.json('datasets', 'add', 'tickets', '--file', file, '--note', 'first');
    await service.json('datasets', 'add', 'tickets', '--file', file);
    expect((await service.run('datasets', 'list')).out).toMatch(/2 +4 +\S+ +tickets +of June/);
    expect((await service.run('datasets', 'show', 'tickets')).out).toMatch(/1 +2 +\+2 -0 +\S+ +first/);
    expect(await service.json('datasets', 'delete', 'tickets')).toEqual({ deleted: 'tickets' });
    const afterDeletion = await service.run('datasets', 'show', 'tickets');
    expect(afterDeletion).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('Dataset tickets not found'),
    });
  });

  it('adds lines of JSON, and reports each bad row', async () => {
    await service.json('datasets', 'create', 'tickets');
    const file = await write(
      'rows.jsonl',
      [
        '{"input":"late","expected":"delivery","metadata":{"lang":"en"}}',
        'no json',
        '',
        '[]',
        '{"input":1,"expeced":2}',
        '{"expected":1}',
        '{"input":1,"id":"x"}',
        '{"args":["a",2]}',
      ].join('\r\n'),
    );
    const { exitCode, out: result, err } = await service.run(...ADD, '--file', file, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'CLI_ROWS_REJECTED',
        message: expect.stringMatching(
          /^5 rows rejected, 2 items added\. row 2: is not JSON; row 4: .*Correct these/,
        ),
      },
    });
    const added = JSON.parse(result);
    expect(added).toMatchObject({ name: 'tickets', version: 1, added: 2 });
    expect(added.rejected).toEqual([
      { row: 2, detail: 'is not JSON' },
      { row: 4, detail: 'is not a JSON object' },
      { row: 5, detail: expect.stringMatching(/^has the unknown field "expeced"\. Use /) },
      { row: 6, detail: 'has neither input nor args' },
      { row: 7, detail: 'id must be a UUID in lower case' },
    ]);
    expect(await exported()).toEqual([
      { id: expect.any(String), args: ['late'], expected: 'delivery', metadata: { lang: 'en' } },
      { id: expect.any(String), args: ['a', 2] },
    ]);
    const { out } = await service.run(...ADD, '--file', file);
    expect(out).toContain('5 rows rejected:\n  row 2: is not JSON\n');
  });

  it('adds a CSV by the names of its columns', async () => {
    await service.json('datasets', 'create', 'tickets');
    const file = await write(
      'rows.csv',
      '\uFEFFtext,lang,label\r\n"Late, again",en,delivery\r\nonly one\r\n"a" b,c,d\r\nNo label,de,\r\n',
    );
    const columns = ['--input', 'text', '--expected', 'label'];
    const { exitCode, out } = await service.run(...ADD, '--file', file, ...columns, '--json');
    expect(exitCode).toBe(1);
    const added = JSON.parse(out);
    expect(added).toMatchObject({ added: 2 });
    expect(added.rejected).toEqual([
      { row: 3, detail: 'has 1 cells, but the first row has 3' },
      { row: 4, detail: expect.stringContaining('quote in the middle') },
    ]);
    expect(await exported()).toEqual([
      { id: expect.any(String), args: ['Late, again'], expected: 'delivery', metadata: { lang: 'en' } },
      { id: expect.any(String), args: ['No label'], metadata: { lang: 'de' } },
    ]);
    const wrong = await service.run('datasets', 'add', 'tickets', '--file', file, '--input', 'body');
    expect(wrong.exitCode).toBe(2);
    expect(wrong.err).toContain('has no column "body", only text, lang, label');
  });

  it('reads what it writes: exported items change nothing when they are added again', async () => {
    await service.json('datasets', 'create', 'tickets');
    await record('late', 'delivery');
    const calls = ['datasets', 'add', 'tickets', '--from-key', 'classify', '--since', '2026-01-01'];
    await service.json(...calls, '--text', 'lat*', '--type', 'llm', '--span-name', 'classify');
    const output = join(folder, 'out/items.jsonl');
    expect(await service.json('datasets', 'export', 'tickets', '--output', output)).toMatchObject({
      items: 1,
    });
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({
      args: ['late'],
      expected: 'delivery',
    });
    expect(await service.json('datasets', 'add', 'tickets', '--file', output)).toMatchObject({
      version: 1,
      added: 0,
      removed: 0,
      unchanged: 1,
    });
    const more = await write('more.jsonl', '{"input":"new"}');
    await service.json('datasets', 'add', 'tickets', '--file', more);
    expect(await exported('--not-in', '1')).toMatchObject([{ args: ['new'] }]);
    expect(await exported('--dataset-version', '1')).toHaveLength(1);
  });

  it.each([
    ['clasify', 'the account has no call with the key "clasify". Did you mean "classify"?'],
    ['nothing like it', 'the account has no call with the key "nothing like it". Check its spelling'],
    ['classify', 'the selection has no call with the key "classify" (skipped: 1 not matching)'],
  ])('ends with 4 where %j selects no call, and says why', async (key, message) => {
    await service.json('datasets', 'create', 'tickets');
    await record('late', 'delivery');
    const words = ['--from-key', key, '--text', 'early'];
    const { exitCode, err } = await service.run(...ADD, ...words);
    expect({ exitCode, err }).toEqual({ exitCode: 4, err: expect.stringContaining(message) });
    expect(err).toContain('CLI_NO_CALLS_TO_ADD');
  });

  it('ends with 0 where the dataset has every selected call already', async () => {
    await service.json('datasets', 'create', 'tickets');
    await record('late', 'delivery');
    await service.json(...ADD, '--from-key', 'classify');
    expect(await service.json(...ADD, '--from-key', 'classify')).toMatchObject({ added: 0, unchanged: 1 });
  });

  it('requires one source of a known kind', async () => {
    await service.json('datasets', 'create', 'tickets');
    for (const words of [[], ['--file', 'a.jsonl', '--from-key', 'k']]) {
      const { exitCode, err } = await service.run('datasets', 'add', 'tickets', ...words);
      expect({ exitCode, err }).toMatchObject({
        exitCode: 2,
        err: expect.stringContaining('Pass one source of items'),
      });
    }
    const file = await write('a.txt', 'x');
    expect(await service.run('datasets', 'add', 'tickets', '--file', file)).toMatchObject({ exitCode: 2 });
    const absent = await service.run('datasets', 'add', 'tickets', '--file', join(folder, 'none.csv'));
    expect(absent.err).toContain('CLI_PATH_UNREADABLE');
  });
});

describe('dacapo runs accept', () => {
  it('accepts items by number or by verdict, reports those it cannot accept, and withdraws', async () => {
    const [late, broken] = [await record('late', 'delivery'), await record('broken', 'defect')];
    const run = (await post(API.testRuns.create.path, { trace_function_key: 'classify' })) as { id: string };
    const item = (item_no: number, { trace_id, id }: { trace_id: string; id: string }) => ({
      item_no,
      source_trace_id: trace_id,
      source_span_id: id,
      verdict: 'changed',
      result: `new ${item_no}`,
    });
    const unknown = { item_no: 2, verdict: 'changed', result: 'x' };
    const items = [item(0, late), item(1, broken), unknown];
    await post(routePath(API.testRuns.report, { id: run.id }), { items });
    expect(await service.json('runs', 'accept', run.id, '0', '--note', 'better', '--author', 'ann')).toEqual({
      run: run.id,
      accepted: [0],
      refused: [],
    });
    expect(await service.json('runs', 'accept', run.id, '--verdict', 'changed')).toEqual({
      run: run.id,
      accepted: [1],
      refused: [{ item_no: 2, detail: expect.stringContaining('is an item of a list') }],
    });
    await service.json('datasets', 'create', 'tickets');
    const added = await service.json(
      'datasets',
      'add',
      'tickets',
      '--from-run',
      run.id,
      '--verdict',
      'changed',
    );
    expect(added).toMatchObject({ added: 2, skipped: { no_input: 1 } });
    expect((await exported()).map(({ expected }) => expected)).toEqual(['new 0', 'new 1']);
    expect(await service.json('runs', 'accept', run.id, '--verdict', 'changed', '--undo')).toEqual({
      run: run.id,
      taken_back: [0, 1],
      refused: [],
    });
    const nothing = await service.run('runs', 'accept', run.id, '0', '--undo');
    expect(nothing).toMatchObject({ exitCode: 1, err: expect.stringContaining('Nothing was accepted') });
    expect((await service.run('runs', 'accept', run.id)).exitCode).toBe(2);
    expect((await service.run('runs', 'accept', run.id, 'x')).exitCode).toBe(2);
  });
});

describe('dacapo runs list', () => {
  it('reports what was decided, what was not, and a missing gate', async () => {
    const begin = async (name: string): Promise<string> => {
      const run = await post(API.testRuns.create.path, { trace_function_key: 'decided', name });
      const { id } = run as { id: string };
      const items = [{ item_no: 0, verdict: 'changed', result: 1 }];
      await post(routePath(API.testRuns.report, { id }), { items });
      return id;
    };
    const end = async (name: string, body: object): Promise<void> => {
      await post(routePath(API.testRuns.finish, { id: await begin(name) }), body);
    };
    const decided = (passed: boolean, gate: object) => ({ summary: { passed, gate } });
    await end('kept', decided(true, { changed: 1 }));
    await end('broken', decided(false, { changed: 0 }));
    await end('beyond', decided(true, { changed: 0 }));
    await end('stopped', { status: 'interrupted' });
    await end('open', {});
    await begin('going');
    const { out } = await service.run('runs', 'list', '--key', 'decided');
    const said = out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/).slice(1));
    expect(
      said.map(([name, , , status, decision, ...counts]) => [name, status, decision, counts.join()]),
    ).toEqual(
      [
        ['going', 'running', 'not yet'],
        ['open', 'finished', 'no gate'],
        ['stopped', 'interrupted', 'not decided'],
        ['beyond', 'finished', 'not decided'],
        ['broken', 'finished', 'failed'],
        ['kept', 'finished', 'passed'],
      ].map((run) => [...run, '1,0,1,0,0,0']),
    );
    const page = await service.json('runs', 'list', '--key', 'decided', '--limit', '1');
    expect(page).toMatchObject({
      items: [{ name: 'going', status: 'running' }],
      next_cursor: expect.any(String),
    });
    expect((await service.run('runs', 'list', '--key', 'none of it')).out).toContain('No test runs.');
    expect((await service.run('runs', 'list', '--limit', '201')).exitCode).toBe(2);
  });
});
