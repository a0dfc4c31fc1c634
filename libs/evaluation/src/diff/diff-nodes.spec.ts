import { equal, type FieldMeta, type JsonValue, readValue, type ValueNode } from '@dacapo/protocol';
import fc from 'fast-check';
import { withoutPaths } from '../values/ignored-paths.js';
import { toNode } from '../values/live-node.js';
import { diffNodes, type DiffOptions } from './diff-nodes.js';
import type { ValueDiff } from './value-diff.js';

const diff = (before: unknown, now: unknown, options?: DiffOptions): ValueDiff[] =>
  diffNodes(toNode(before), toNode(now), options);
const recorded = (json: JsonValue, meta?: FieldMeta): ValueNode => readValue({ json, meta });
const brief = (found: ValueDiff[]): string[] => found.map(({ path, kind }) => `${kind} ${path}`);

describe('diffNodes', () => {
  it.each<[string, unknown, unknown, ValueDiff[]]>([
    [
      'of values',
      { a: { b: 1 } },
      { a: { b: 2 } },
      [
        {
          path: '$.a.b',
          kind: 'value',
          before: { type: 'number', text: '1' },
          now: { type: 'number', text: '2' },
        },
      ],
    ],
    [
      'of types, although the texts are the same',
      { at: new Date(0) },
      { at: new Date(0).toISOString() },
      [
        {
          path: '$.at',
          kind: 'type',
          before: { type: 'Date', text: '1970-01-01T00:00:00.000Z' },
          now: { type: 'text', text: '"1970-01-01T00:00:00.000Z"' },
        },
      ],
    ],
    [
      'of what is there on one side',
      { a: 1, b: 2 },
      { b: 2, c: [3] },
      [
        { path: '$.a', kind: 'removed', before: { type: 'number', text: '1' } },
        { path: '$.c', kind: 'added', now: { type: 'array', text: '[3]' } },
      ],
    ],
    [
      'of the whole',
      'yes',
      'no',
      [
        {
          path: '$',
          kind: 'value',
          before: { type: 'text', text: '"yes"' },
          now: { type: 'text', text: '"no"' },
        },
      ],
    ],
    [
      'of the prototype alone',
      {},
      Object.create(null),
      [
        {
          path: '$',
          kind: 'type',
          before: { type: 'object', text: '{}' },
          now: { type: 'object without a prototype', text: '{}' },
        },
      ],
    ],
  ])('reports path and both sides for %s', (_, before, now, found) => {
    expect(diff(before, now)).toEqual(found);
  });

  it.each<[string, unknown, unknown, string[]]>([
    [
      'a key that is no name',
      { 'a b': 1, '': { "it's": 1 } },
      { 'a b': 2, '': { "it's": 2 } },
      ['value $["a b"]', 'value $[""]["it\'s"]'],
    ],
    ['an item', [1, 2, 3], [1, 9, 3], ['value $[1]']],
    ['an inserted item', [1, 2, 3], [1, 9, 2, 3], ['added $[1]']],
    ['an item taken out', [1, 9, 2, 3], [1, 2, 3], ['removed $[1]']],
    ['items at both ends', [1, 2], [0, 1, 2, 3], ['value $[0]', 'value $[1]', 'added $[2]', 'added $[3]']],
    ['equal items added', [1, 1], [1, 1, 1], ['added $[2]']],
    [
      'entries of a Map',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, 'b'],
        ['gone', 0],
      ]),
      new Map<unknown, unknown>([
        [2, 'c'],
        ['a', 1],
        ['new one', 0],
      ]),
      ['value $["2"]', 'removed $.gone', 'added $["new one"]'],
    ],
    ['items of a Set', new Set([1, { a: 1 }]), new Set([{ a: 2 }, 1]), ['removed $[*]', 'added $[*]']],
    ['an error', new Error('a'), new Error('b'), ['value $.message']],
    [
      'the cause of an error',
      new Error('a', { cause: { n: 1 } }),
      new Error('a', { cause: { n: 2 } }),
      ['value $.cause.n'],
    ],
    [
      'the class',
      new (class A {
        x = 1;
      })(),
      new (class B {
        x = 1;
      })(),
      ['type $'],
    ],
    ['an undefined item that is now a value', [undefined, 1], [2, 1], ['type $[0]']],
    ['an address', new URL('https://a.b/'), new URL('https://a.c/'), ['value $']],
    ['bytes', Buffer.from('a'), Buffer.from('b'), ['value $']],
    ['null for undefined', { a: null }, { a: undefined }, ['type $.a']],
    ['an object for null', { a: null }, { a: {} }, ['type $.a']],
    ['a list for an object', [], {}, ['type $']],
    [
      'one that is undefined beside others',
      { a: 1, b: undefined, c: 1 },
      { a: 1, c: 2, d: undefined },
      ['value $.c'],
    ],
  ])('finds %s', (_, before, now, found) => {
    expect(brief(diff(before, now))).toEqual(found);
  });

  it('reports `unknown` when equality is unknown', () => {
    const [before, now] = [
      { f: (): number => 1, n: 1 },
      { f: (): number => 2, n: 2 },
    ];
    expect(brief(diff(before, now))).toEqual(['unknown $.f', 'value $.n']);
    expect(diff({ f: before.f }, { f: now.f })).toMatchObject([
      { path: '$.f', kind: 'unknown', before: { type: 'Function', text: '[Function]' } },
    ]);
  });

  it('reports the whole Map when its keys have no exact text', () => {
    const key = (): unknown => () => 1;
    expect(brief(diff(new Map([[key(), 1]]), new Map([[key(), 2]])))).toEqual(['unknown $']);
    expect(brief(diff(new Set([key()]), new Set([key(), 1])))).toEqual(['value $']);
    const twice = new Map([
      [{}, 1],
      [{}, 2],
    ]);
    expect(
      brief(
        diff(
          twice,
          new Map([
            [{}, 1],
            [{}, 3],
          ]),
        ),
      ),
    ).toEqual(['value $']);
  });

  it('reports `value` for two kinds with the same type name', () => {
    const coded = recorded([1], { types: { '': { type: 'codec', name: 'array' } } });
    expect(brief(diffNodes(coded, toNode([2])))).toEqual(['value $']);
    expect(brief(diffNodes(toNode([2]), coded))).toEqual(['value $']);
  });

  it('reports only the whole for instances of different classes', () => {
    const [one, other] = [
      new (class A {
        n = 1;
      })(),
      new (class B {
        n = 2;
      })(),
    ];
    expect(brief(diff(one, other))).toEqual(['type $']);
  });

  it('reports the properties that differ for instances of one class', () => {
    class Ticket {
      constructor(
        readonly id: number,
        readonly topic: string,
      ) {}
    }
    expect(brief(diff(new Ticket(1, 'card'), new Ticket(1, 'fee')))).toEqual(['value $.topic']);
  });

  it('reports the whole Map when its keys are too long', () => {
    let key: unknown[] = ['a key that holds another twice, and so on'];
    for (let depth = 0; depth < 24; depth++) key = [key, key];
    expect(brief(diff(new Map([[key, 1]]), new Map([['a', 1]])))).toEqual(['value $']);
  });

  it('reports removed and added items of Sets', () => {
    expect(diff(new Set([1, 'gone']), new Set(['new', 1]))).toEqual([
      { path: '$[*]', kind: 'removed', before: { type: 'text', text: '"gone"' } },
      { path: '$[*]', kind: 'added', now: { type: 'text', text: '"new"' } },
    ]);
  });

  it('reports the whole Map when one side has keys without exact text', () => {
    const vague = new Map<unknown, number>([[() => 1, 1]]);
    expect(brief(diff(vague, new Map([['a', 1]])))).toEqual(['unknown $']);
    expect(brief(diff(new Map([['a', 1]]), vague))).toEqual(['unknown $']);
    expect(brief(diff(new Set([() => 1, 1]), new Set([1])))).toEqual(['value $']);
    expect(brief(diff(new Set([1]), new Set([() => 1, 1])))).toEqual(['value $']);
  });

  it('reports the whole for cycles without a difference inside', () => {
    const loop = (sha256: string): ValueNode => {
      const items: ValueNode[] = [];
      const cut = {
        unit: 'items',
        size: 9,
        kept: 1,
        tail: 0,
        sha256,
        hmac: undefined,
        sampledSha256: undefined,
      } as const;
      const list: ValueNode = { kind: 'array', items: () => items, cut, json: null, isPlain: false };
      items.push({ kind: 'array', items: () => [list], cut: undefined, json: null, isPlain: false });
      return list;
    };
    expect(brief(diffNodes(loop('a'), loop('b')))).toEqual(['value $']);
  });

  it('ignores stacks and volatile data of errors', () => {
    const error = (message: string, requestId: number): ValueNode =>
      recorded({ name: 'E', message, requestId }, { types: { '': { type: 'Error', class: 'E' } } });
    expect(brief(diffNodes(error('a', 1), error('b', 2)))).toEqual(['value $.message']);
  });

  it('reports a difference inside a cycle once', () => {
    const loop = (n: number): object => {
      const object: Record<string, unknown> = { n };
      object['self'] = { object };
      return object;
    };
    expect(brief(diff(loop(1), loop(2)))).toEqual(['value $.n']);
    const shared = { n: 1 };
    const other = { n: 2 };
    expect(brief(diff([shared, shared], [other, other]))).toEqual(['value $[0].n', 'value $[1].n']);
    expect(diff(loop(1), loop(1))).toEqual([]);
  });
});

describe('A cut value', () => {
  const cut = { items: 9, kept: 2 };

  it('is `unknown` when the rest could differ', () => {
    const before = recorded({ list: [1, 2] }, { truncated: { '/list': cut } });
    const now = recorded({ list: [1, 2] }, { truncated: { '/list': cut } });
    expect(brief(diffNodes(before, now))).toEqual(['unknown $.list']);
  });

  it('differs by its hash, reported for the whole', () => {
    const of = (sha256: string): ValueNode =>
      recorded('abc…', { truncated: { '': { bytes: 9, kept: 3, sha256 } } });
    expect(brief(diffNodes(of('x'), of('y')))).toEqual(['value $']);
    expect(diffNodes(of('x'), of('x'))).toEqual([]);
    const list = (sha256: string, first: JsonValue, meta: FieldMeta = {}): ValueNode =>
      recorded([first, 2], { ...meta, truncated: { '': { ...cut, sha256 } } });
    // A part is unknown and the whole is known to differ: both are told.
    const opaque = { types: { '/0': { type: 'opaque', class: 'Function' } } };
    expect(brief(diffNodes(list('x', 'f', opaque), list('y', 'f', opaque)))).toEqual([
      'unknown $[0]',
      'value $',
    ]);
  });

  it('may contain a missing part beyond the cut', () => {
    const whole = recorded([1, 2, 3]);
    const part = recorded([1, 2], { truncated: { '': { items: 3, kept: 2 } } });
    expect(brief(diffNodes(part, whole))).toEqual(['unknown $[2]']);
    expect(brief(diffNodes(whole, part))).toEqual(['unknown $[2]']);
    const object = recorded({ a: 1 }, { truncated: { '': { properties: 2, kept: 1 } } });
    expect(brief(diffNodes(object, recorded({ a: 1, b: 1 })))).toEqual(['unknown $.b']);
  });
});

describe('Type notes', () => {
  it('are followed through codecs and toJSON, but not into masked values', () => {
    const coded = (json: JsonValue, note: JsonValue): ValueNode => recorded(json, { types: { '': note } });
    const codec = { type: 'codec', name: 'Money' };
    expect(brief(diffNodes(coded({ n: 1 }, codec), coded({ n: 2 }, codec)))).toEqual(['value $.n']);
    const toJson = { type: 'toJSON', class: 'Money' };
    expect(brief(diffNodes(coded({ n: 1 }, toJson), coded({ n: 2 }, toJson)))).toEqual(['value $.n']);
    expect(brief(diffNodes(coded({ n: 1 }, codec), coded({ n: 1 }, { ...codec, name: 'Price' })))).toEqual([
      'type $',
    ]);
    const masked = (token: string): ValueNode =>
      recorded({ key: `[redacted:${token}]` }, { redacted: ['/key'] });
    expect(brief(diffNodes(masked('aaaaaaaaaaaa'), masked('bbbbbbbbbbbb')))).toEqual(['unknown $.key']);
    expect(brief(diffNodes(masked('aaaaaaaaaaaa'), masked('bbbbbbbbbbbb'), { sameSalt: true }))).toEqual([
      'value $.key',
    ]);
  });

  it('expand runs of undefined to items', () => {
    const run = recorded([1, null, 2], { types: { '/1': { type: 'undefined', count: 3 } } });
    expect(brief(diffNodes(run, toNode([1, undefined, undefined, undefined, 3])))).toEqual(['value $[4]']);
    expect(brief(diffNodes(run, toNode([1, undefined, 7, undefined, 2])))).toEqual(['type $[2]']);
  });
});

describe('The size of the list', () => {
  it('is bounded in number', () => {
    const list = (length: number): number[] => Array.from({ length }, (_, index) => index);
    expect(
      diff(
        list(100),
        list(100).map((n) => n + 1),
      ),
    ).toHaveLength(50);
    expect(
      diff(
        list(100),
        list(100).map((n) => n + 1),
        { limit: 3 },
      ),
    ).toHaveLength(3);
    expect(diff({ a: list(9), b: 1 }, { a: list(9).reverse(), b: 2 }, { limit: 1 })).toHaveLength(1);
    expect(diff([], list(100), { limit: 3 })).toHaveLength(3);
    expect(diff(list(100), [], { limit: 3 })).toHaveLength(3);
  });

  it('is bounded in number when unknown parts fill it', () => {
    const opaque = recorded([{}, {}, 'a'], {
      types: { '/0': { type: 'function' }, '/1': { type: 'function' } },
    });
    const now = toNode([() => 1, () => 2, 'b']);
    expect(brief(diffNodes(opaque, now))).toEqual(['unknown $[0]', 'unknown $[1]', 'value $[2]']);
    expect(brief(diffNodes(opaque, now, { limit: 2 }))).toEqual(['unknown $[0]', 'unknown $[1]']);
  });

  it('is bounded in text length, and shows where long texts start to differ', () => {
    const alike = 'x'.repeat(5_000);
    const [one] = diff(`${alike}left${alike}`, `${alike}right${alike}`);
    expect(one!.before!.text).toBe(`…${'x'.repeat(40)}left${'x'.repeat(154)}…`);
    expect(one!.now!.text).toMatch(/^…x{40}right/);
    expect(one!.before!.text).toHaveLength(200);
    const [far] = diff(alike, `${alike}y`);
    expect(far!.before!.text).toBe(`…${'x'.repeat(40)}`);
    expect(far!.now!.text).toBe(`…${'x'.repeat(40)}y`);
    const [early] = diff(`${'a'.repeat(40)}x${alike}`, `${'a'.repeat(40)}y${alike}`);
    expect(early!.before!.text).toMatch(/^"a{40}x/);
    expect(early!.before!.text).toHaveLength(200);
    const [later] = diff(`${'a'.repeat(41)}"x`, `${'a'.repeat(41)}"y`);
    expect(later!.before!.text).toBe(`…${'a'.repeat(39)}\\"x`);
    // Both are the same as far as they are here.
    const head = recorded(`${'a'.repeat(60)}…`, { truncated: { '': { bytes: 99 } } });
    expect(diffNodes(head, head)[0]!.before!.text).toBe(`…${'a'.repeat(39)}…`);
    const whole = 'b'.repeat(198);
    expect(diff(whole, 5)[0]!.before!.text).toBe(`"${whole}"`);
    expect(diff(`${whole}b`, 5)[0]!.before!.text).toBe(`"${whole}…`);
  });

  it('includes parts of a list while there is room', () => {
    const list = Array.from({ length: 90 }, (_, index) => index + 10);
    const [{ now }] = diff('a', list) as [ValueDiff];
    expect(now?.text).toMatch(/^\[10, 11, .*, 57, 58, …\]$/);
  });

  it('is bounded in path length', () => {
    const path = (length: number): string => {
      const name = 'k'.repeat(length - 2);
      return diff({ [name]: 1 }, { [name]: 2 })[0]!.path;
    };
    expect(path(300)).toBe(`$.${'k'.repeat(298)}`);
    expect(path(301)).toBe(`$.${'k'.repeat(298)}…`);
  });

  it.each<[unknown, string]>([
    [{ text: 'x'.repeat(500) }, `{text: "${'x'.repeat(100)}"…}`],
    [{ text: 'x'.repeat(100) }, `{text: "${'x'.repeat(100)}"}`],
    [[Buffer.alloc(300)], `[${'A'.repeat(100)}…]`],
    [[Buffer.alloc(75)], `[${'A'.repeat(100)}]`],
    [['x'.repeat(90), 'y'.repeat(90), 'z'], `["${'x'.repeat(90)}", "${'y'.repeat(53)}"…, "z"]`],
    [['x'.repeat(95), 'y'.repeat(95), [1], 2], `["${'x'.repeat(95)}", "${'y'.repeat(50)}"…, [1], 2]`],
    [[['a'.repeat(70), ['b'.repeat(70)]]], `[["${'a'.repeat(50)}"…, ["${'b'.repeat(11)}"…]]]`],
    [[[[[[['deep']]]]]], '[[[[[[…]]]]]]'],
    [
      Array.from({ length: 99 }, () => 1234567),
      `[${Array.from({ length: 22 }, () => 1234567).join(', ')}, …`,
    ],
  ])('omits parts that do not fit: %#', (value, text) => {
    expect(diff(value, 5)[0]!.before!.text).toBe(text);
  });

  it('is bounded for large and cyclic values', () => {
    const loop: unknown[] = [];
    loop.push(loop, 'end');
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key${index}`, [index]]));
    for (const value of [loop, wide, [wide, wide], new Map([[wide, wide]]), Buffer.alloc(10_000)]) {
      const [found] = diff(value, 5);
      expect(found!.before!.text.length).toBeLessThanOrEqual(200);
      expect(found!.before!.text).toContain('…');
    }
  });
});

describe('A side of a difference', () => {
  it.each<[unknown, string, string]>([
    [undefined, 'undefined', 'undefined'],
    [null, 'null', 'null'],
    [true, 'boolean', 'true'],
    [-0, 'number', '-0'],
    [NaN, 'number', 'NaN'],
    [12n, 'bigint', '12n'],
    ['a"b\n', 'text', '"a\\"b\\n"'],
    [Symbol.for('s'), 'symbol', 'Symbol(s)'],
    [new Date(NaN), 'Date', 'Invalid Date'],
    [/a\/b/gi, 'RegExp', '/a\\/b/gi'],
    [Buffer.from('hi'), 'Buffer', 'aGk='],
    [[1, [2], {}], 'array', '[1, [2], {}]'],
    [{ a: { b: 'c' }, 'd e': 1 }, 'object', '{a: {b: "c"}, d e: 1}'],
    [
      new Map<unknown, unknown>([
        ['a', 1],
        [{}, 2],
      ]),
      'Map',
      'Map {"a" => 1, {} => 2}',
    ],
    [new Set([1, 'a']), 'Set', 'Set {1, "a"}'],
    [new URL('https://a.b/'), 'URL', '"https://a.b/"'],
    [Object('x'), 'boxed text', '"x"'],
    [new RangeError('far'), 'RangeError', '{name: "RangeError", message: "far"}'],
    [(): void => {}, 'Function', '[Function]'],
    [
      new (class Order {
        n = 1;
      })(),
      'class Order',
      '{n: 1}',
    ],
  ])('shows %p as %s %s', (value, type, text) => {
    const [found] = diff(value, 'something else');
    expect(found!.before).toEqual({ type, text });
  });

  it('shows the result of codecs, toJSON and hooks', () => {
    const shown = (json: JsonValue, meta: FieldMeta): unknown =>
      diffNodes(recorded(json, meta), toNode(1))[0]!.before;
    const types = (note: JsonValue): FieldMeta => ({ types: { '': note } });
    expect(shown({ n: 1 }, types({ type: 'codec', name: 'Money' }))).toEqual({
      type: 'Money',
      text: '{n: 1}',
    });
    expect(shown({ n: 1 }, types({ type: 'toJSON', class: 'Money' }))).toEqual({
      type: 'class Money',
      text: '{n: 1}',
    });
    expect(shown({ n: 1 }, { redacted: [''] })).toEqual({ type: 'masked object', text: '{n: 1}' });
  });

  it('shows too deep values by type', () => {
    const deep = recorded('[Object]', { truncated: { '': { depth: 100 } } });
    expect(diffNodes(deep, toNode(1))[0]!.before).toEqual({ type: 'object', text: '[Object]' });
    const strange = recorded(5, { types: { '': 'of a later version' } });
    expect(diffNodes(strange, toNode(1))[0]!.before).toEqual({ type: 'unknown', text: '[unknown]' });
  });
});

describe('For any two values', () => {
  const leaf = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('a', 'b', true, null, undefined, NaN, -0),
    fc.constantFrom(0, 1).map((time) => new Date(time)),
    fc.constantFrom(1n, 2n),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('object'), tie('map'), tie('set')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c d'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    map: fc
      .array(fc.tuple(fc.constantFrom('a', 'b'), tie('value')), { maxLength: 2 })
      .map((pairs) => new Map(pairs)),
    set: fc.array(leaf, { maxLength: 3 }).map((items) => new Set(items)),
  }));

  it('differences are listed exactly when they are not equal', () => {
    fc.assert(
      fc.property(value, value, (before, now) => {
        const equality = equal(toNode(before), toNode(now));
        const found = diff(before, now);
        expect(found.length === 0).toBe(equality === 'equal');
        if (equality === 'different') expect(found.some(({ kind }) => kind !== 'unknown')).toBe(true);
        expect(diff(before, structuredClone(before))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('each path leads to a real difference', () => {
    fc.assert(
      fc.property(value, value, (before, now) => {
        for (const { path, kind } of diff(before, now)) {
          if (path.includes('[*]')) continue;
          const [old, fresh] = [at(before, path), at(now, path)];
          if (kind !== 'added') expect(old.isThere).toBe(true);
          if (kind !== 'removed') expect(fresh.isThere).toBe(true);
          if (kind === 'value' || kind === 'type')
            expect(equal(toNode(old.value), toNode(fresh.value))).toBe('different');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('ignoring all differing paths leaves no difference', () => {
    fc.assert(
      fc.property(value, value, (before, now) => {
        const found = diff(before, now);
        const paths = found.map(({ path }) => path);
        if (paths.includes('$') || found.some(({ kind, path }) => kind !== 'value' || path.includes('[*]')))
          return;
        const prune = withoutPaths(paths);
        expect(equal(prune(toNode(before)), prune(toNode(now)))).toBe('equal');
        const [first, ...rest] = paths;
        if (first === undefined) return;
        const some = withoutPaths(rest);
        expect(brief(diffNodes(some(toNode(before)), some(toNode(now))))).toEqual([`value ${first}`]);
      }),
      { numRuns: 500 },
    );
  });

  /** An oracle of its own: walks the value by the path's text. */
  function at(root: unknown, path: string): { isThere: boolean; value?: unknown } {
    let here = root;
    for (const [, name, index, quoted] of path.matchAll(
      /\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g,
    )) {
      const key = name ?? index ?? (JSON.parse(quoted!) as string);
      const holder = here instanceof Map ? Object.fromEntries(here) : here;
      if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key))
        return { isThere: false };
      here = (holder as Record<string, unknown>)[key];
    }
    return { isThere: true, value: here };
  }
});
