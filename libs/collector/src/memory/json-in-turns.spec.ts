import fc from 'fast-check';
import { isSmall, stringifyInTurns } from './json-in-turns.js';
import { Turns } from './turns.js';

/** The pieces, and how often something else could have run in between. */
async function made(value: object): Promise<{ pieces: string[]; turns: number }> {
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
    ['an array of many small ones', Array.from({ length: 40_000 }, (_, n) => ({ n, text: 'x'.repeat(80) }))],
    ['one large text', { text: 'ä"\n😀'.repeat(200_000) }],
    ['large ones far inside', { a: [{ b: { c: ['x'.repeat(900_000), undefined, 1] } }, 2], d: undefined }],
    ['an object of many members', Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n]))],
    [
      'names of a prototype',
      JSON.parse(`{"__proto__":{"a":"${'x'.repeat(400_000)}"},"toString":1}`) as object,
    ],
    ['surrogates without a partner', { text: `${'\ud83d'.repeat(70_000)}${'\ude00\ud83d'.repeat(200_000)}` }],
  ])('makes of %s what JSON.stringify makes, in pieces of a bounded size', async (_, value) => {
    expect(isSmall(value)).toBe(false);
    const { pieces, turns } = await made(value);
    expect(pieces.join('') === JSON.stringify(value)).toBe(true);
    expect(turns).toBeGreaterThan(0);
    // An escaped character has six.
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan((256 + 6 * 64 + 64) * 1024);
  });

  it('makes of whatever plain data what JSON.stringify makes', async () => {
    const filler = fc.constantFrom('', 'x'.repeat(50_000), '😀'.repeat(40_000));
    const large = fc.record({ value: fc.jsonValue({ depthSize: 'medium' }), filler, more: fc.array(filler) });
    await fc.assert(
      fc.asyncProperty(fc.array(large), async (value) => {
        const { pieces } = await made(value);
        expect(pieces.join('') === JSON.stringify(value)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('takes no turn for what is small', async () => {
    expect(await made({ a: [1, 'b', null] })).toEqual({ pieces: ['{"a":[1,"b",null]}'], turns: 0 });
  });
});
