import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvalData, EvaluationData } from '@dacapo/tracer';
import { removeFolder } from '../../../../test/support/remove-folder.js';
import { readEvalData } from './read-data.js';

describe('readEvalData', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'dacapo-eval-'))));
  afterAll(() => removeFolder(folder));

  const read = (data: unknown): Promise<EvaluationData> =>
    readEvalData(
      { file: 'a.eval.ts', name: 'a', variants: [], data: data as EvalData, options: {} },
      join(folder, 'a.eval.ts'),
    );
  const write = (name: string, ...lines: string[]): Promise<void> =>
    writeFile(join(folder, name), `${lines.join('\n')}\n`);

  it('names items by name, else by id', async () => {
    const items = [
      { name: 'late', id: '1', input: 'a' },
      { id: '2', input: 'b', expected: 'x' },
      { input: 'c' },
    ];
    expect(await read(items)).toEqual([
      { name: 'late', input: 'a' },
      { name: '2', input: 'b', expected: 'x' },
      { input: 'c' },
    ]);
  });

  it('calls a function that returns the list', async () => {
    expect(await read(() => Promise.resolve([{ input: 'a' }]))).toEqual([{ input: 'a' }]);
  });

  it('reads a CSV file relative to the eval file', async () => {
    await write('rows.csv', 'input,expected,name,tier', 'late,delivery,first,gold', '"a, b",,,');
    expect(await read('rows.csv')).toEqual([
      { args: ['late'], expected: 'delivery', name: 'first', metadata: { name: 'first', tier: 'gold' } },
      { args: ['a, b'], metadata: {} },
    ]);
  });

  it('reads the named columns', async () => {
    await write('named.csv', 'text,lang,label,case', 'late,en,delivery,one');
    const rows = { file: 'named.csv', input: ['text', 'lang'], expected: 'label', name: 'case' };
    expect(await read(rows)).toEqual([
      { args: ['late', 'en'], expected: 'delivery', name: 'one', metadata: { case: 'one' } },
    ]);
  });

  it('reads lines of JSON', async () => {
    await write('rows.jsonl', '{"input":{"text":"late"},"expected":["delivery"]}', '{"args":[1,2]}');
    expect(await read('rows.jsonl')).toEqual([
      { args: [{ text: 'late' }], expected: ['delivery'], metadata: {} },
      { args: [1, 2], metadata: {} },
    ]);
  });

  it('leaves datasets and stored calls to the tracer', async () => {
    for (const data of [
      { dataset: 'tickets', version: 2 },
      { key: 'desk', since: '2026-11-01' },
    ])
      expect(await read(data)).toEqual(data);
  });

  it('refuses a file with bad rows, and lists them by number', async () => {
    await write('bad.csv', 'input,expected', 'a,b', 'a,b,c', 'a "b" c,d');
    await expect(read('bad.csv')).rejects.toThrow(
      /^a\.eval\.ts: bad\.csv: row 3 has 3 cells, but the first row has 2; row 4 has a quote in the middle of cell 1.*\. Correct the rows/,
    );
    await write('bad.jsonl', '{"input":1}', '{');
    await expect(read('bad.jsonl')).rejects.toThrow('bad.jsonl: row 2 is not JSON.');
  });

  it('refuses recorded values with type notes, which only a dataset supports', async () => {
    await write('recorded.jsonl', '{"input":"2026-11-01","meta":{"input":{}}}');
    await expect(read('recorded.jsonl')).rejects.toThrow('row 1 has the type notes of a recorded value');
  });

  it.each<[string, unknown, string]>([
    ['an empty list', [], 'data has no items.'],
    ['a number', 7, 'data must be a list, a file, a dataset or stored calls, not number.'],
    ['an object of another kind', { items: [] }, 'data is an object with items.'],
    [
      'a misspelt column',
      { file: 'rows.csv', inptu: 'text' },
      'unknown field "data.inptu". Did you mean "input"?',
    ],
    ['a file that is missing', 'none.csv', 'none.csv cannot be read (ENOENT).'],
    [
      'a file of another kind',
      'rows.xlsx',
      'rows.xlsx has an unknown extension. Name a .jsonl, .ndjson or .csv file.',
    ],
    [
      'a column that is missing',
      { file: 'rows.csv', input: 'text' },
      'has no column "text", only input, expected',
    ],
  ])('refuses %s', async (_, data, message) => {
    await expect(read(data)).rejects.toThrow(message);
  });

  it('names the option of the eval file when a column is missing', async () => {
    await expect(read({ file: 'rows.csv', input: 'text' })).rejects.toThrow(
      "Name the argument columns with data: { file, input: 'column' }.",
    );
  });
});
