import { ChunkTable } from './chunk-table.js';
import { expandChunks } from './expand-chunks.js';
import type { ShortChunks } from './shorten-chunks.js';

const NO_NAME = (): boolean => false;
const AS_IT_IS = (text: string): string => text;

function shorten(
  chunks: readonly unknown[],
  mask = AS_IT_IS,
  isTelling: (name: string) => boolean = NO_NAME,
): ShortChunks {
  const table = new ChunkTable();
  for (const chunk of chunks) table.add(chunk, true);
  return table.short(mask, isTelling);
}

const delta = (content: string, fields: object = {}) => ({
  id: 'chatcmpl-0123456789',
  object: 'chat.completion.chunk',
  model: 'gpt-5-mini',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...fields,
});

describe('the chunks of a stream in short form', () => {
  it.each<[string, unknown[]]>([
    ['texts', [delta('Hel'), delta('lo'), delta('.')]],
    [
      'chunks of other forms between',
      [delta('a'), { type: 'ping' }, delta('b'), { choices: [] }, delta('c')],
    ],
    ['lists of other lengths', [{ a: [1] }, { a: [1, 2] }, { a: [] }, { a: [3] }]],
    [
      'members in another order',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    ['single values', ['a', 'b', 7, null, true]],
    ['a member that is a value once and a list once', [{ a: null }, { a: [1] }, { a: 'x' }]],
    ['empty chunks', [{}, {}, []]],
    ['no chunks', []],
    ['names with slashes and tildes', [{ 'a/b~c': 1 }, { 'a/b~c': 2 }]],
    ['NaN and negative zero', [{ a: NaN }, { a: -0 }, { a: 0 }]],
    ['a date', [{ at: new Date(0) }, { at: new Date(1) }]],
    ['the name __proto__', [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}')]],
  ])('are the same again: %s', (_, chunks) => {
    expect(expandChunks(shorten(chunks))).toEqual(chunks);
    expect(JSON.stringify(expandChunks(shorten(chunks)))).toBe(JSON.stringify(chunks));
  });

  it('are the same again from rows, as they were recorded before the upgrade', () => {
    const shape = { first: delta('Hel'), at: ['/choices/0/delta/content'] };
    const rows = [
      [0, 'Hel'],
      [-1, { type: 'ping' }],
      [0, 'lo'],
    ];
    const chunks = [delta('Hel'), { type: 'ping' }, delta('lo')];
    expect(expandChunks({ shapes: [shape], rows })).toEqual(chunks);
    expect(expandChunks({ shapes: [shape], cells: rows.flat() })).toEqual(chunks);
  });

  it('store repeated parts once', () => {
    const chunks = Array.from({ length: 100 }, (_, index) => delta(`word ${index}`));
    const short = JSON.stringify(shorten(chunks));
    expect(short.length).toBeLessThan(JSON.stringify(chunks).length / 8);
  });

  it('are recorded as they passed, even if the chunks change later', () => {
    const table = new ChunkTable();
    const chunk = delta('a');
    table.add(chunk, true);
    chunk.choices[0]!.delta.content = 'changed';
    table.add(delta('b'), true);
    expect(expandChunks(table.short(AS_IT_IS, NO_NAME))).toEqual([delta('a'), delta('b')]);
  });

  it('are each their own', () => {
    const [one, other] = expandChunks(shorten([delta('a'), delta('a')])) as [object, object];
    expect(one).toEqual(other);
    expect(one).not.toBe(other);
  });

  it('contain no secret that arrived in pieces', () => {
    const mask = (text: string): string => text.replace('hunter2', '[masked]');
    const short = shorten([delta('It is hun'), { type: 'ping' }, delta('ter'), delta('2.')], mask);
    const texts = (expandChunks(short) as Partial<ReturnType<typeof delta>>[]).map(
      ({ choices }) => choices?.[0]?.delta.content,
    );
    expect(texts).toEqual(['It is [masked].', undefined, '', '']);
  });

  it('stay whole when a name decides what is secret', () => {
    const chunks = [
      { token: 'a', n: 1 },
      { token: 'b', n: 2 },
    ];
    const short = shorten(chunks, AS_IT_IS, (name) => name === 'token');
    expect(short.cells).toEqual(chunks.flatMap((chunk) => [-1, chunk]));
    expect(expandChunks(short)).toEqual(chunks);
  });

  it('keep the first and the last when they take too much memory', () => {
    const table = new ChunkTable();
    let held = 0;
    for (let index = 0; index < 50; index++)
      held += table.add(delta(`${index} ${'x'.repeat(100_000)}`), true);
    const { head, tail } = table.kept!;
    expect([table.count, head, tail]).toEqual([50, 5, 3]);
    expect(held).toBeLessThan(1.2 * 1024 * 1024);
    const kept = expandChunks(table.short(AS_IT_IS, () => false)) as ReturnType<typeof delta>[];
    const numbers = kept.map((chunk) => Number(/"(\d+) x/.exec(JSON.stringify(chunk))?.[1]));
    expect(numbers).toEqual([0, 1, 2, 3, 4, 47, 48, 49]);
  });

  it('keep the first and the last of one form where they are of too many', () => {
    const table = new ChunkTable();
    for (let index = 0; index < 200; index++) table.add({ [`name${index}`]: 1 }, true);
    table.add({ name0: 'last' }, true);
    expect([table.kept, table.count]).toEqual([{ head: 87, tail: 1 }, 201]);
    expect(expandChunks(table.short(AS_IT_IS, () => false))?.at(-1)).toEqual({ name0: 'last' });
  });

  it('are not used for other forms', () => {
    expect(expandChunks([delta('a')])).toBeUndefined();
    expect(expandChunks(undefined)).toBeUndefined();
    expect(expandChunks('text')).toBeUndefined();
  });
});
