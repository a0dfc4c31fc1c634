import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  amount,
  baseline,
  dataset,
  each,
  live,
  metadata,
  moment,
  normalize,
  number,
  readGateWord,
  scalar,
  wholeNumber,
} from './read-words.js';
import { readReplayData } from '../replay/run-words.js';

const NOW = Date.parse('2026-11-22T05:00:00Z');
const at = moment(() => NOW);

describe('Options of dacapo replay', () => {
  it.each([
    ['2026-11-20T05:00:00Z', '2026-11-20T05:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['90m', '2026-11-22T03:30:00.000Z'],
    ['24h', '2026-11-21T05:00:00.000Z'],
    ['7d', '2026-11-15T05:00:00.000Z'],
    ['2w', '2026-11-08T05:00:00.000Z'],
    ['0d', '2026-11-22T05:00:00.000Z'],
  ])('read %s as the time %s', (text, time) => {
    expect(at(text)).toBe(time);
  });

  it.each(['7', '-1d', '7 d', 'yesterday', '2026-13-01', '1.5h', '', '99999999999999d'])(
    'refuse %j as a time',
    (text) => {
      expect(() => at(text)).toThrow('Pass a time such as');
    },
  );

  it('refuse numbers that are not whole or out of range', () => {
    expect([wholeNumber(0)('0'), wholeNumber(1)('25')]).toEqual([0, 25]);
    for (const text of ['0', '-1', '1.5', '1e3', ' 1', '', '9007199254740993'])
      expect(() => wholeNumber(1)(text)).toThrow('Pass a whole number of at least 1.');
  });

  it('collect paths to normalize by key, with any characters', () => {
    const all = ['search=$[0].id', 'a=b=$..at', 'search=$[1]["x=$y"]', '__proto__=$[0]'];
    const read = all.reduce<Record<string, readonly string[]>>((before, text) => normalize(text, before), {});
    expect(Object.entries(read)).toEqual([
      ['search', ['$[0].id', '$[1]["x=$y"]']],
      ['a=b', ['$..at']],
      ['__proto__', ['$[0]']],
    ]);
    for (const text of ['search', '=$[0]', 'search=id', '$[0]'])
      expect(() => normalize(text)).toThrow('Write it like search=$[0].requestId.');
  });

  it('read metadata values as JSON, else as text, and collect them', () => {
    const all = ['tenant=ann', 'vip=true', 'n=3', 'id="42"', 'formula=a=b', 'empty='];
    expect(all.reduce<Record<string, unknown>>((before, text) => metadata()(text, before), {})).toEqual({
      tenant: 'ann',
      vip: true,
      n: 3,
      id: '42',
      formula: 'a=b',
      empty: '',
    });
    for (const text of ['tenant', '=ann'])
      expect(() => metadata()(text)).toThrow('Write it like tenant=ann.');
  });

  it('read live calls as a span type, or as a key, even one named like a type', () => {
    expect(
      ['llm', 'key=search', 'key=llm'].reduce<unknown[]>(
        (before, text) => each(live)(text, before as []),
        [],
      ),
    ).toEqual(['llm', { key: 'search' }, { key: 'llm' }]);
    for (const text of ['search', 'key=', 'LLM'])
      expect(() => live(text)).toThrow('or key=<trace function key>.');
  });

  it('require a size for a sample', () => {
    expect(readReplayData({ sample: 5, sampleBy: 'slow', seed: 0 })).toMatchObject({
      sample: { size: 5, by: 'slow', seed: 0 },
    });
    expect(readReplayData({ sample: 5 })).toMatchObject({ sample: { size: 5 } });
    for (const words of [{ seed: 0 }, { sampleBy: 'slow' }] as const)
      expect(() => readReplayData(words)).toThrow('Add --sample <n>.');
  });

  it('require a score for its limits, which are numbers', () => {
    expect(scalar('0.5')).toBe(0.5);
    expect(scalar('true')).toBe(true);
    expect(scalar('"5"')).toBe('5');
    expect(scalar('good')).toBe('good');
    expect(number('-0.5')).toBe(-0.5);
    expect(() => number('')).toThrow('Pass a number.');
    expect(() => amount('-1')).toThrow('Pass a number of at least 0.');
    expect(readReplayData({ score: 'kind', scoreIs: 'good' })).toMatchObject({
      score: 'kind',
      scoreIs: 'good',
    });
    for (const words of [{ scoreIs: false }, { scoreBelow: 0 }, { scoreAbove: 0 }] as const)
      expect(() => readReplayData(words)).toThrow('Add --score <name>.');
  });

  it('read a dataset with an optional version, and refuse a selection with it', () => {
    expect(dataset('tickets')).toEqual({ dataset: 'tickets' });
    expect(dataset('tickets@12')).toEqual({ dataset: 'tickets', version: 12 });
    expect(dataset('ann@example.com')).toEqual({ dataset: 'ann@example.com' });
    expect(() => dataset('')).toThrow('Write it like tickets or tickets@3.');
    expect(readReplayData({ dataset: { dataset: 'tickets' } })).toEqual({ dataset: 'tickets' });
    expect(() => readReplayData({ dataset: { dataset: 'tickets' }, since: 'x' })).toThrow(
      'Remove one of them.',
    );
  });

  it('read a baseline as a word, the id of a test run, or an export of a file', () => {
    const testRunId = '48636172-0ccd-465f-a93e-7506ebd5e414';
    expect(['recording', 'accepted', 'self', testRunId].map(baseline)).toEqual([
      'recording',
      'accepted',
      'self',
      { testRunId },
    ]);
    expect(baseline('../main/dist/c#.js#answer')).toEqual({
      file: '../main/dist/c#.js',
      exportName: 'answer',
    });
    for (const text of ['', 'recorded', 'main', '#answer', 'dist/desk.js#'])
      expect(() => baseline(text)).toThrow('the id of a test run, or file#export.');
  });

  describe('for a gate', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'dacapo-gate-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    it('accept JSON or a JSON file', async () => {
      const file = join(folder, 'gate.json');
      await writeFile(file, '{ "errors": 0 }');
      expect(await readGateWord(' {"errors":0}')).toEqual({ errors: 0 });
      expect(await readGateWord(file)).toEqual({ errors: 0 });
    });

    it.each([
      ['{"errors":-1}', 'CLI_USAGE', 'gate.errors must be a whole number of at least 0, not -1'],
      ['{"error":0}', 'CLI_USAGE', 'gate.error is not a limit. Did you mean "errors"?'],
      ['{errors:0}', 'CLI_USAGE', '--gate is not JSON'],
      ['none.json', 'CLI_USAGE', '--gate none.json cannot be read ('],
    ])('refuse %s', async (word, code, message) => {
      await expect(readGateWord(word)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      });
    });
  });
});
