import fc from 'fast-check';
import { isSmall, stringifyInTurns } from './json-in-turns.js';
import { Turns } from './turns.js';

/** Returns the pieces, and how often other work could run in between. */
async function stringify(value: object): Promise<{ pieces: string[]; turns: number }> {
  const pieces: string[] = [];
  const turns = new Turns();
  let taken = 0;
  const counting = Object.assign(Object.create(turns) as Turns, {
    next: () => {
      taken++;
      return turns.next();
    },
  });
  await stringifyInTurns(value, counting, (piece) => pieces.push(piece));
  return { pieces, turns: taken };
}

describe('stringifyInTurns', () => {
  it.each<[string, object]>([
    [
      'an array of many small objects',
      Array.from({ length: 40_000 }, (_, n) => ({ n, text: 'x'.repeat(80) })),
    ],
    ['one large text', { text: 'ä"\n😀'.repeat(200_000) }],
    ['nested large texts', { a: [{ b: { c: ['x'.repeat(900_000), undefined, 1] } }, 2], d: undefined }],
    ['an object of many members', Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n]))],
    [
      'names of prototype members',
      JSON.parse(`{"__proto__":{"a":"${'x'.repeat(400_000)}"},"toString":1}`) as object,
    ],
    ['surrogates without a partner', { text: `${'\ud83d'.repeat(70_000)}${'\ude00\ud83d'.repeat(200_000)}` }],
  ])('writes %s like JSON.stringify, in pieces of a bounded size', async (_, value) => {
    expect(isSmall(value)).toBe(false);
    const { pieces, turns } = await stringify(value);
    expect(pieces.join('') === JSON.stringify(value)).toBe(true);
    expect(turns).toBeGreaterThan(0);
    // An escaped character takes six.
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan((256 + 6 * 64 + 64) * 1024);
  });

  it('writes any plain data like JSON.stringify', async () => {
    const filler = fc.constantFrom('', 'x'.repeat(50_000), '😀'.repeat(40_000));
    const large = fc.record({ value: fc.jsonValue({ depthSize: 'medium' }), filler, more: fc.array(filler) });
    await fc.assert(
      fc.asyncProperty(fc.array(large), async (value) => {
        const { pieces } = await stringify(value);
        expect(pieces.join('') === JSON.stringify(value)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('writes small values without a turn', async () => {
    expect(await stringify({ a: [1, 'b', null] })).toEqual({ pieces: ['{"a":[1,"b",null]}'], turns: 0 });
  });
});
