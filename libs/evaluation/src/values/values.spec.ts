import { createContext, runInContext } from 'node:vm';
import { equal, type ValueNode } from '@dacapo/protocol';
import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { withoutPaths } from './ignored-paths.js';
import { toNode } from './live-node.js';
import { singleItems } from './single-items.js';

const compare = (left: unknown, right: unknown): string => {
  const there = equal(toNode(left), toNode(right));
  expect(equal(toNode(right), toNode(left))).toBe(there);
  return there;
};
const elsewhere = createContext({});
class Order {
  constructor(readonly total: number) {}
}

const bareArray = (names: object): object => Object.setPrototypeOf(Object.assign([1], names), null) as object;

describe('Live values', () => {
  it.each<[string, unknown, unknown]>([
    ['the order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['a property that is undefined', { a: 1, b: undefined }, { a: 1 }],
    ['the sign of zero', -0, 0],
    [
      'the order of Map entries',
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 2],
        ['a', 1],
      ]),
    ],
    ['the order of Set items', new Set([{ a: 1 }, 2]), new Set([2, { a: 1 }])],
    ['dates', new Date(5), new Date(5)],
    ['invalid dates', new Date(NaN), new Date(NaN)],
    ['NaN', [NaN], [NaN]],
    ['bigints', 5n, 5n],
    ['symbols that all share', Symbol.for('a'), Symbol.for('a')],
    ['symbols of the language', Symbol.iterator, Symbol.iterator],
    ['patterns, whatever was searched last', Object.assign(/a/g, { lastIndex: 1 }), /a/g],
    ['addresses', new URL('https://a.b/'), new URL('https://a.b/')],
    ['search parameters', new URLSearchParams('a=1'), new URLSearchParams('a=1')],
    ['bytes', Buffer.from('hi'), Buffer.from('hi')],
    ['parts of buffers', new Uint8Array([1, 2, 3]).subarray(1), new Uint8Array([2, 3])],
    ['array buffers', new Uint8Array([1]).buffer, new Uint8Array([1]).buffer],
    ['errors with other stacks', new TypeError('a'), new TypeError('a')],
    ['instances', new Order(1), new Order(1)],
    ['boxed values', Object(5), Object(5)],
    [
      'what is from another realm',
      { a: [1], d: new Date(5) },
      runInContext('({ a: [1], d: new Date(5) })', elsewhere),
    ],
    ['a Map from another realm', new Map([[1, 2]]), runInContext('new Map([[1, 2]])', elsewhere)],
    ['a Set from another realm', new Set([1]), runInContext('new Set([1])', elsewhere)],
    ['an error from another realm', new RangeError('a'), runInContext('new RangeError("a")', elsewhere)],
    ['a missing item and an undefined one', Array(1), [undefined]],
  ])('compare equal except %s', (_, left, right) => {
    expect(compare(left, right)).toBe('equal');
  });

  it.each<[string, unknown, unknown]>([
    ['a date from its text', new Date(5), new Date(5).toISOString()],
    ['other dates', new Date(5), new Date(6)],
    ['a Map from a list', new Map([[1, 2]]), [[1, 2]]],
    ['a subclass of Map', new (class Cache extends Map {})(), new Map()],
    ['a subclass of Set', new (class Bag extends Set {})(), new Set()],
    ['NaN from its name', NaN, 'NaN'],
    ['a bigint from its digits', 5n, '5'],
    ['a boxed text from a text', Object('a'), 'a'],
    ['other boxed values', Object(5), Object(6)],
    ['null from undefined', null, undefined],
    ['null from an object', null, {}],
    ['an instance from plain data', new Order(1), { total: 1 }],
    ['an object without a prototype', Object.create(null), {}],
    ['a Buffer from its class of bytes', Buffer.from('hi'), new Uint8Array(Buffer.from('hi'))],
    ['other bytes', Buffer.from('hi'), Buffer.from('ho')],
    ['errors with other codes', Object.assign(new Error('a'), { code: 1 }), new Error('a')],
    ['errors with other causes', new Error('a', { cause: 'b' }), new Error('a', { cause: 'c' })],
    ['what an AggregateError gathered', new AggregateError([1], 'a'), new AggregateError([2], 'a')],
    ['other symbols', Symbol.for('a'), Symbol.for('b')],
    ['symbols of the language from shared ones', Symbol.iterator, Symbol.for('iterator')],
    ['other flags', /a/g, /a/i],
    ['an address from its text', new URL('https://a.b/'), 'https://a.b/'],
    ['true from 1', true, 1],
    ['list lengths', [1, undefined], [1]],
  ])('distinguish %s', (_, left, right) => {
    expect(compare(left, right)).toBe('different');
  });

  it.each<[string, unknown]>([
    [
      'getters that throw',
      Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
    ],
    [
      'objects whose traits cannot be read',
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw new Error('no');
          },
        },
      ),
    ],
  ])('compare as unknown for %s', (_, value) => {
    expect(compare(value, value)).toBe('unknown');
  });

  it.each<[string, unknown, unknown]>([
    ['names beside the items of an array', Object.assign([1], { total: 3 }), [1]],
    ['names beside the items of an array without a prototype', bareArray({ total: 3 }), bareArray({})],
    ['data under symbols', { [Symbol('unit')]: true }, {}],
    ['namespaces of the language', Math, {}],
    ['indices of a date', Object.assign(new Date(0), { 0: 1 }), new Date(0)],
    [
      'names of a view',
      Object.assign(new DataView(new ArrayBuffer(1)), { 0: 1 }),
      new DataView(new ArrayBuffer(1)),
    ],
    ['names of bytes', Object.assign(new Uint8Array(1), { '01': 1 }), new Uint8Array(1)],
    ['names of a boxed text', Object.assign(Object('ab') as object, { 2: 1 }), Object('ab')],
  ])('compare as unknown for %s', (_, left, right) => {
    expect(compare(left, right)).toBe('unknown');
    expect(compare([left], [right, 2])).toBe('different');
  });

  it('compare functions, promises and local symbols only by kind', () => {
    for (const opaque of [() => 1, Promise.resolve(1), Symbol('a'), new WeakMap(), new WeakSet()])
      expect(compare([opaque], [opaque])).toBe('unknown');
  });

  it('may be cyclic', () => {
    const loop = (last: number): object => {
      const list: unknown[] = [1];
      list.push({ list }, last);
      return list;
    };
    expect(compare(loop(2), loop(2))).toBe('equal');
    expect(compare(loop(2), loop(3))).toBe('different');
  });

  it('compare like assert.deepStrictEqual, for JSON and other values', () => {
    const value = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(value, fc.option(value, { nil: undefined }), (left, other) => {
        const right = other === undefined ? structuredClone(left) : other;
        let isSame = true;
        try {
          deepStrictEqual(withoutExceptions(left), withoutExceptions(right));
        } catch {
          isSame = false;
        }
        if (isSame) expect(compare(left, right)).toBe('equal');
        else expect(compare(left, right)).not.toBe('unknown');
      }),
    );
  });
});

/** Without what equality does not mind and Node does. */
function withoutExceptions(value: unknown): unknown {
  return Object.is(value, -0) ? 0 : value;
}

const without = (value: unknown, ...paths: string[]): ValueNode => withoutPaths(paths)(toNode(value));

describe('Ignored paths', () => {
  it.each<[string, unknown, unknown]>([
    ['$.createdAt', { a: 1, createdAt: 1 }, { a: 1, createdAt: new Date() }],
    ['$.createdAt', { a: 1, createdAt: 1 }, { a: 1 }],
    [
      '$.items[*].id',
      {
        items: [
          { id: 1, n: 1 },
          { id: 2, n: 2 },
        ],
      },
      { items: [{ id: 3, n: 1 }, { n: 2 }] },
    ],
    ['$.items[1].id', { items: [{ id: 1 }, { id: 2 }] }, { items: [{ id: 1 }, { id: 9 }] }],
    ['$.items[0]', { items: [1, 2] }, { items: [9, 2] }],
    ['$[*]', [1, 2], [undefined, { a: 1 }]],
    ['$[0]', [1, 2], [undefined, 2]],
    ['$.*.id', { a: { id: 1 }, b: { id: 2 } }, { a: { id: 3 }, b: {} }],
    ['$["a key"]', { 'a key': 1 }, {}],
    ["$['a key'].b", { 'a key': { b: 1 } }, { 'a key': {} }],
    ['$..id', { id: 1, a: [{ id: 2, b: { id: 3, c: 1 } }] }, { a: [{ b: { c: 1 } }] }],
    ['$.a..id', { id: 0, a: { id: 2, b: { id: 3 } } }, { id: 0, a: { b: {} } }],
    ['$..a.b', { a: { a: { b: 1 } } }, { a: { a: { b: 2 } } }],
    [
      '$.size',
      new Map([
        ['size', 1],
        ['n', 2],
      ]),
      new Map([
        ['size', 3],
        ['n', 2],
      ]),
    ],
    ['$[7]', new Map([[7, 1]]), new Map([[7, 2]])],
    ['$.*', new Map<unknown, number>([[{ k: 1 }, 1]]), new Map()],
    ['$[*].id', new Set([{ id: 1, n: 1 }]), new Set([{ id: 2, n: 1 }])],
    ['$[*]', new Set([1]), new Set([])],
    ['$.message', new Error('a'), new Error('b')],
    ['$.total', new Order(1), new Order(2)],
  ])('remove %s', (path, left, right) => {
    expect(equal(toNode(left), toNode(right))).toBe('different');
    expect(equal(without(left, path), without(right, path))).toBe('equal');
  });

  it.each<[string, unknown, unknown]>([
    ['$.createdAt', { a: 1, createdAt: 1 }, { a: 2, createdAt: 1 }],
    ['$.createdAt', { in: { createdAt: 1 } }, { in: { createdAt: 2 } }],
    ['$.items[*].id', { items: [{ id: 1 }], id: 1 }, { items: [{ id: 1 }], id: 2 }],
    ['$.items[1]', { items: [1, 2] }, { items: [3, 2] }],
    ['$.items[0]', { items: [1, 2] }, { items: [1, 2, 3] }],
    ['$[*]', [1, 2], [1]],
    ['$.a.b', { a: 1 }, { a: 2 }],
    ['$.a..id', { id: 1, a: {} }, { id: 2, a: {} }],
    ['$.k', new Map([[{ k: 1 }, 1]]), new Map([[{ k: 1 }, 2]])],
    ['$.id', new Set([{ id: 1 }]), new Set([{ id: 2 }])],
  ])('remove only %s', (path, left, right) => {
    expect(equal(without(left, path), without(right, path))).toBe('different');
  });

  it('may be several paths', () => {
    const left = { a: 1, b: { c: 1, d: 1 }, e: 1 };
    const right = { a: 2, b: { c: 2, d: 1 }, e: 1 };
    expect(equal(without(left, '$.a', '$.b.c'), without(right, '$.a', '$.b.c'))).toBe('equal');
    expect(equal(without(left, '$.b.c'), without(right, '$.b.c'))).toBe('different');
    expect(equal(without(left, '$.a', '$.b.x'), without(right, '$.a', '$.b.x'))).toBe('different');
  });

  it('leave a value unchanged without paths', () => {
    const node = toNode({ a: 1 });
    expect(withoutPaths([])(node)).toBe(node);
  });

  it('work in cyclic values', () => {
    const loop = (id: number): object => {
      const object: Record<string, unknown> = { id, n: 1 };
      object['self'] = object;
      return object;
    };
    expect(equal(without(loop(1), '$..id'), without(loop(2), '$..id'))).toBe('equal');
    expect(equal(without(loop(1), '$.self.id'), without(loop(2), '$.self.id'))).toBe('different');
  });

  it('prevent a hash from proving equality, because it covers ignored parts', () => {
    const cut = {
      unit: 'items',
      size: 9,
      kept: 1,
      tail: 0,
      hmac: undefined,
      sampledSha256: undefined,
    } as const;
    const list = (sha256: string): ValueNode => ({
      kind: 'array',
      items: () => [toNode(1)],
      cut: { ...cut, sha256 },
      json: [1],
      isPlain: false,
    });
    expect(equal(list('a'), list('b'))).toBe('different');
    const prune = withoutPaths(['$[*].id']);
    expect(equal(prune(list('a')), prune(list('b')))).toBe('unknown');
    const deep = (sha256: string): ValueNode => ({
      kind: 'deep',
      isArray: false,
      json: '[Object]',
      isPlain: false,
      cut: { ...cut, unit: 'depth', sha256 },
    });
    expect(equal(deep('a'), deep('b'))).toBe('different');
    expect(equal(prune(deep('a')), prune(deep('b')))).toBe('unknown');
  });

  it('work through codecs, toJSON and hooks', () => {
    const wrapped = (kind: 'codec' | 'toJSON', id: number): ValueNode =>
      kind === 'codec'
        ? { kind, name: 'Order', of: toNode({ id, n: 1 }), json: null, isPlain: false }
        : { kind, className: 'Order', of: toNode({ id, n: 1 }), json: null, isPlain: false };
    for (const kind of ['codec', 'toJSON'] as const) {
      const prune = withoutPaths(['$.id']);
      expect(equal(wrapped(kind, 1), wrapped(kind, 2))).toBe('different');
      expect(equal(prune(wrapped(kind, 1)), prune(wrapped(kind, 2)))).toBe('equal');
    }
  });

  it.each([
    '',
    '$',
    'createdAt',
    '$createdAt',
    '$.',
    '$.a[',
    '$.a[x]',
    '$.a]',
    '$.a..',
    '$.a.[0]',
    '$a',
    ' $.a',
  ])('are refused when invalid: %j', (path) => {
    expect(() => withoutPaths([path])).toThrow(
      `ignore has the invalid path ${JSON.stringify(path)}. Write $.createdAt, $.items[*].id`,
    );
  });

  it('remove exactly the named parts', () => {
    const records = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer(), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(records, records, fc.constantFrom('a', 'b', 'c', 'd'), (left, right, name) => {
        const rest = (record: Record<string, number>): object =>
          Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
        const expected = equal(toNode(rest(left)), toNode(rest(right)));
        expect(equal(without(left, `$.${name}`), without(right, `$.${name}`))).toBe(expected);
        expect(equal(without([left], `$[*].${name}`), without([right], `$[0].${name}`))).toBe(expected);
      }),
    );
  });
});

describe('runs of undefined', () => {
  const run = (count: number): ValueNode => ({
    kind: 'undefined',
    count,
    isHole: false,
    json: null,
    isPlain: false,
  });

  it('are expanded, so that each item has its index', () => {
    const items = singleItems([toNode(1), run(3), toNode(2)]);
    expect(items.map(({ kind }) => kind)).toEqual([
      'number',
      'undefined',
      'undefined',
      'undefined',
      'number',
    ]);
    const list = (last: number): ValueNode => ({
      kind: 'array',
      cut: undefined,
      json: null,
      isPlain: false,
      items: () => [run(2), toNode(last)],
    });
    const prune = withoutPaths(['$[2]']);
    expect(equal(prune(list(1)), prune(list(2)))).toBe('equal');
  });

  it('stay one item when they are very long', () => {
    const items = [run(10_001), toNode(1)];
    expect(singleItems(items)).toEqual(items);
    expect(singleItems([run(10_000)])).toHaveLength(10_000);
    expect(singleItems(items.slice(1))).toEqual(items.slice(1));
  });
});
