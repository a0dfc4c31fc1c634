import { LIMITS } from '@dacapo/protocol';
import fc from 'fast-check';
import { JsonBoundError, type JsonBounds, parseInTurns } from './parse-in-turns.js';
import { Turns } from './turns.js';

const PIECE = 256 * 1024;

function bounds(more: Partial<JsonBounds> = {}): JsonBounds & { heldBytes: () => number } {
  let held = 0;
  const memory = { grow: (bytes: number) => void (held += bytes), release: () => undefined };
  return { members: Infinity, memory, ...more, heldBytes: () => held };
}

/** Returns the value, and how often other work could run in between. */
async function parsed(json: string, within = bounds()): Promise<{ value: unknown; turns: number }> {
  let turns = 0;
  class CountedTurns extends Turns {
    override next(): Promise<void> {
      turns++;
      return super.next();
    }
  }
  return { value: await parseInTurns(json, within, new CountedTurns()), turns };
}

const parseOrName = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (error) {
    return (error as Error).name;
  }
};

/** Compares as JSON text, which also compares the order of names. */
const expectSameAsParse = async (json: string): Promise<void> => {
  const expected = parseOrName(json);
  const value = await parsed(json).then(
    (made) => made.value,
    (error: unknown) => (error as Error).name,
  );
  expect(JSON.stringify(value) === JSON.stringify(expected)).toBe(true);
};

const filler = 'x'.repeat(PIECE / 3);

describe('parseInTurns', () => {
  it.each<[string, string]>([
    [
      'an array of many objects',
      JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ n, text: `text ${n}` }))),
    ],
    ['a long string', JSON.stringify({ a: 'ä"\n,[{😀'.repeat(200_000), b: Array(300_000).fill(1) })],
    [
      'an object of many members',
      JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n]))),
    ],
    ['deep nesting', `${'[{"a":['.repeat(100)}${'[1,{"b":2}],'.repeat(100_000)}0${']},7]'.repeat(100)}`],
    ['white space', `[ ${' \n\t1 , { "a" : [ ] } ,'.repeat(60_000)} {} ] `],
  ])('parses %s like JSON.parse, in turns', async (_, json) => {
    const { value, turns } = await parsed(json);
    expect(JSON.stringify(value) === JSON.stringify(JSON.parse(json))).toBe(true);
    expect(turns).toBeGreaterThan(1);
  });

  it('parses or refuses any text like JSON.parse', async () => {
    const small = fc.constantFrom(
      ...['1', '"a"', '[]', '{}', '[1,[2]]', '{"a":{"b":[1]}}', 'null', ' 2 ', '"\\""'],
    );
    const long = fc.constantFrom(`"${filler}"`, `["${filler}",1]`, `{"a":"${filler}","c":[1]}`);
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.oneof({ arbitrary: small, weight: 2 }, { arbitrary: long, weight: 3 }),
        fc.array(tie('value'), { maxLength: 6 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(fc.constantFrom('a', 'b', '1', '0', '__proto__', '\\u0061'), tie('value')), {
            maxLength: 6,
          })
          .map((members) => `{${members.map(([name, member]) => `"${name}":${member}`).join(',')}}`),
      ),
    }));
    const wrong = fc.constantFrom(
      ...[',', ':', '[', ']', '{', '}', '"', ' ', ',,', '1', '[,', ',]', '{,', ',}', '],[', '\\'],
    );
    const harm = fc.option(fc.tuple(fc.nat(), wrong, fc.boolean()));
    await fc.assert(
      fc.asyncProperty(value, harm, async (json, harmed) => {
        if (harmed === null) return expectSameAsParse(json);
        const [number, inserted, isReplacing] = harmed;
        // Between tokens: most other places are inside a string.
        const places = Array.from(json.matchAll(/[[\]{},:]/g), ({ index }) => index);
        const at = places[number % Math.max(1, places.length)] ?? 0;
        return expectSameAsParse(json.slice(0, at) + inserted + json.slice(at + (isReplacing ? 1 : 0)));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    '[1,]',
    '[,1]',
    '[1,,2]',
    '[[],,[]]',
    '[1,2',
    '[1,',
    '[1,2]]',
    '[1],[2]',
    '{"a":1,}',
    '{"a":1,,"b":2}',
    '[{,}]',
    '[1:2]',
    '["a',
  ])('refuses %s wherever a piece ends', async (json) => {
    for (let at = 0; at <= json.length; at++) {
      const blanks = ' '.repeat(PIECE);
      const spread = json.slice(0, at) + blanks + json.slice(at);
      await expect(parsed(spread)).rejects.toThrow(SyntaxError);
      await expect(parsed(spread + blanks)).rejects.toThrow(SyntaxError);
    }
  });

  it('reserves memory for arrays and objects, but not for brackets in strings', async () => {
    const within = bounds();
    await parsed(`[${'[],{},"[[[",'.repeat(50_000)}[]]`, within);
    expect(within.heldBytes()).toBe(64 * 100_002);
  });

  it('refuses too many members, and too deep nesting unless `isDeep` allows it', async () => {
    const members = `[${'{"a":1},'.repeat(60_000)}"::"]`;
    await expect(parsed(members, bounds({ members: 59_999 }))).rejects.toThrow(new JsonBoundError('members'));
    await expect(parsed(members, bounds({ members: 60_000 }))).resolves.toBeDefined();
    const nested = (depth: number) => `[${'1,'.repeat(200_000)}${'['.repeat(depth - 1)}${']'.repeat(depth)}`;
    await expect(parsed(nested(LIMITS.jsonDepth))).resolves.toBeDefined();
    await expect(parsed(nested(LIMITS.jsonDepth + 1))).rejects.toThrow(new JsonBoundError('depth'));
    await expect(parsed(nested(LIMITS.jsonDepth + 1), bounds({ isDeep: true }))).resolves.toBeDefined();
  });
});
