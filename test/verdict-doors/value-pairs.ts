import fc from 'fast-check';

/** The expected comparison of two values. */
type Likeness = 'equal' | 'different' | 'unknown';

/** Creates both values: 0 is the baseline, 1 the candidate. Each call creates new objects. */
export interface ValuePair {
  readonly what: string;
  readonly likeness: Likeness;
  readonly make: (version: 0 | 1) => unknown;
}

class Money {
  constructor(readonly cents: number) {}
}
class Price {
  constructor(readonly cents: number) {}
}
class Locked {
  readonly #key: number;
  constructor(key: number) {
    this.#key = key;
  }
  fits(key: number): boolean {
    return this.#key === key;
  }
}
class Stack extends Array<unknown> {}
class Day extends Date {}
class HttpError extends Error {}

type Makers = readonly [what: string, before: () => unknown, now: () => unknown];

const own = <T extends object>(value: T, properties: object): T => Object.assign(value, properties);
const bare = (properties: object): object => own(Object.create(null) as object, properties);
const parsed = (json: string): unknown => JSON.parse(json);
const LONG = 'a sentence of some length, again. '.repeat(400);

const DIFFERENT: readonly Makers[] = [
  ['texts', () => 'approved', () => 'REJECTED'],
  ['texts by case', () => 'a', () => 'A'],
  ['texts that look alike', () => 'é', () => 'e\u0301'],
  ['lone surrogates', () => '\ud800', () => '\ud801'],
  ['a lone surrogate and its replacement', () => '\ud800', () => '\ufffd'],
  ['a text and one that looks cut', () => 'abc', () => 'ab…'],
  ['long texts by their end', () => `${LONG}1`, () => `${LONG}2`],
  ['long texts by their middle', () => `${LONG}1${LONG}`, () => `${LONG}2${LONG}`],
  ['long texts by their length', () => LONG, () => `${LONG}.`],
  ['text and nothing', () => '', () => null],
  ['numbers', () => 1, () => 1.0000000000000002],
  ['large numbers', () => 2 ** 53, () => 2 ** 53 + 2],
  ['a number and its text', () => 5, () => '5'],
  ['a number and its bigint', () => 5, () => 5n],
  ['NaN and null', () => NaN, () => null],
  ['NaN and its text', () => NaN, () => 'NaN'],
  ['infinities', () => Infinity, () => -Infinity],
  ['Infinity and null', () => Infinity, () => null],
  ['true and 1', () => true, () => 1],
  ['true and its text', () => true, () => 'true'],
  ['null and undefined', () => [null], () => [undefined]],
  ['a hole and null', () => new Array(1), () => [null]],
  ['undefined items by number', () => [undefined], () => [undefined, undefined]],
  ['a date and its text', () => new Date(5), () => new Date(5).toISOString()],
  ['a date and its time', () => new Date(5), () => 5],
  ['dates by one ms', () => new Date(5), () => new Date(6)],
  ['a date and an invalid one', () => new Date(0), () => new Date(NaN)],
  ['flags', () => /a/g, () => /a/gi],
  ['a RegExp and its text', () => /a/, () => '/a/'],
  ['a list and an object', () => [], () => ({})],
  ['a list and its object', () => ['a'], () => ({ 0: 'a' })],
  ['the order of a list', () => [1, 2], () => [2, 1]],
  ['a list and its Set', () => [1], () => new Set([1])],
  ['a Map and its object', () => new Map([['a', 1]]), () => ({ a: 1 })],
  ['a Map and its entries', () => new Map([['a', 1]]), () => [['a', 1]]],
  ['keys of a Map by type', () => new Map([[1, 1]]), () => new Map([['1', 1]])],
  ['values of a Map', () => new Map([[{ id: 1 }, 1]]), () => new Map([[{ id: 1 }, 2]])],
  ['keys of a Map that are objects', () => new Map([[{ id: 1 }, 1]]), () => new Map([[{ id: 2 }, 1]])],
  ['Sets by an item', () => new Set([1, 2]), () => new Set([1, 3])],
  ['Sets of objects', () => new Set([{ a: 1 }, { a: 2 }]), () => new Set([{ a: 1 }, { a: 1 }])],
  ['bytes', () => Buffer.from([1, 2]), () => Buffer.from([1, 3])],
  ['bytes and their text', () => Buffer.from('ab'), () => 'YWI='],
  ['a Buffer and an array of its bytes', () => Buffer.from([1]), () => new Uint8Array([1])],
  ['typed arrays of one content', () => new Int8Array([1]), () => new Uint8Array([1])],
  ['floats', () => new Float64Array([0.1]), () => new Float64Array([0.2])],
  ['a buffer and its view', () => new ArrayBuffer(2), () => new DataView(new ArrayBuffer(2))],
  ['many bytes by the last', () => new Uint8Array(9000), () => own(new Uint8Array(9000), { 8999: 1 })],
  ['a URL and its text', () => new URL('http://a/'), () => 'http://a/'],
  ['URLs', () => new URL('http://a/'), () => new URL('http://a/?')],
  ['queries by order', () => new URLSearchParams('a=1&b=2'), () => new URLSearchParams('b=2&a=1')],
  ['a boxed text and a text', () => Object('a') as unknown, () => 'a'],
  ['boxed numbers', () => Object(1) as unknown, () => Object(2) as unknown],
  ['registered symbols', () => Symbol.for('a'), () => Symbol.for('b')],
  ['a symbol and its name', () => Symbol.for('a'), () => 'a'],
  ['classes of one content', () => new Money(1), () => new Price(1)],
  ['an instance and its data', () => new Money(1), () => ({ cents: 1 })],
  ['instances', () => new Money(1), () => new Money(2)],
  ['objects by their prototype', () => bare({ a: 1 }), () => ({ a: 1 })],
  ['messages of errors', () => new Error('a'), () => new Error('b')],
  ['classes of errors', () => new Error('a'), () => new TypeError('a')],
  ['own classes of errors', () => new HttpError('a'), () => new Error('a')],
  [
    'properties of errors',
    () => own(new Error('a'), { status: 1 }),
    () => own(new Error('a'), { status: 2 }),
  ],
  ['causes', () => new Error('a', { cause: 1 }), () => new Error('a', { cause: 2 })],
  ['a cause and none', () => new Error('a', { cause: 'x' }), () => new Error('a')],
  ['gathered errors', () => new AggregateError([new Error('a')]), () => new AggregateError([new Error('b')])],
  ['an error and its data', () => new Error('a'), () => ({ name: 'Error', message: 'a' })],
  ['a property and none', () => ({ a: 1, b: null }), () => ({ a: 1 })],
  ['names of properties', () => ({ a: 1 }), () => ({ b: 1 })],
  ['a property named __proto__', () => parsed('{"__proto__":1}'), () => parsed('{"__proto__":2}')],
  ['a property named __proto__ and none', () => parsed('{"__proto__":{"a":1}}'), () => ({})],
  ['a property named constructor', () => ({ constructor: 1 }), () => ({ constructor: 2 })],
  ['a property named toJSON', () => ({ toJSON: 1 }), () => ({ toJSON: 2 })],
  ['names with signs of pointers', () => ({ 'a/b': 1, 'a~1b': 2 }), () => ({ 'a/b': 2, 'a~1b': 1 })],
  ['the empty name', () => ({ '': 1 }), () => ({ '': 2 })],
  ['lists of a class', () => Stack.from([1]), () => Stack.from([2])],
  ['a masked object by what is not', () => ({ password: 'x1', n: 1 }), () => ({ password: 'x1', n: 2 })],
];

const EQUAL: readonly Makers[] = [
  ['zeros', () => 0, () => -0],
  ['the order of keys', () => ({ a: 1, b: { c: 1, d: 2 } }), () => ({ b: { d: 2, c: 1 }, a: 1 })],
  ['a property that is undefined', () => ({ a: 1 }), () => ({ a: 1, b: undefined })],
  ['holes', () => [1, undefined], () => own(new Array(2), { 0: 1 })],
  [
    'the order of a Map',
    () =>
      new Map([
        [1, 1],
        [2, 2],
      ] as const),
    () =>
      new Map([
        [2, 2],
        [1, 1],
      ] as const),
  ],
  ['the order of a Set', () => new Set(['a', 'b']), () => new Set(['b', 'a'])],
  ['invalid dates', () => new Date(NaN), () => new Date('no')],
  ['a secret', () => ({ password: 'hunter2' }), () => ({ password: 'hunter2' })],
  ['the stacks of errors', () => new Error('a'), () => own(new Error('a'), { stack: 'else' })],
  ['an index of a RegExp', () => /a/g, () => own(/a/g, { lastIndex: 3 })],
  ['a long text', () => LONG, () => LONG],
  ['many bytes', () => new Uint8Array(9000), () => new Uint8Array(9000)],
];

const UNKNOWN: readonly Makers[] = [
  ['a list of a class and a list', () => Stack.from([1]), () => [1]],
  ['a date of a class and a date', () => new Day(5), () => new Date(5)],
  ['functions', () => () => 1, () => () => 2],
  ['local symbols', () => Symbol('a'), () => Symbol('b')],
  ['private fields', () => new Locked(1), () => new Locked(2)],
  ['names beside items', () => own([1], { total: 1 }), () => own([1], { total: 2 })],
  [
    'names beside the items of bytes',
    () => own(Buffer.from('a'), { x: 1 }),
    () => own(Buffer.from('a'), { x: 2 }),
  ],
  ['names on a Map', () => own(new Map(), { x: 1 }), () => own(new Map(), { x: 2 })],
  ['names on a date', () => own(new Date(1), { x: 1 }), () => own(new Date(1), { x: 2 })],
  ['names on a URL', () => own(new URL('http://a/'), { x: 1 }), () => own(new URL('http://a/'), { x: 2 })],
  [
    'names on a boxed text',
    () => own(Object('a') as object, { x: 1 }),
    () => own(Object('a') as object, { x: 2 }),
  ],
  ['symbols of an object', () => ({ [Symbol.for('s')]: 1 }), () => ({ [Symbol.for('s')]: 2 })],
  ['formats', () => new Intl.NumberFormat('en'), () => new Intl.NumberFormat('de')],
  ['decoders', () => new TextDecoder('utf-8'), () => new TextDecoder('utf-16le')],
  ['reasons of signals', () => AbortSignal.abort({ a: 1 }), () => AbortSignal.abort({ a: 2 })],
  ['secrets', () => ({ password: 'hunter2' }), () => ({ password: 'hunter3' })],
  ['a secret number and its text', () => ({ password: 1234567890 }), () => ({ password: '1234567890' })],
  ['promises', () => [Promise.resolve(1)], () => [Promise.resolve(2)]],
  ['weak references', () => new WeakSet([{}]), () => new WeakSet()],
  ['headers', () => new Headers({ a: '1' }), () => new Headers({ a: '2' })],
  [
    'getters',
    () => ({
      get a() {
        return 1;
      },
    }),
    () => ({
      get a() {
        return 2;
      },
    }),
  ],
];

const known = (likeness: Likeness, makers: readonly Makers[]): fc.Arbitrary<ValuePair> =>
  fc.constantFrom(...makers).map(([what, before, now]) => ({
    what,
    likeness,
    make: (version) => (version === 0 ? before() : now()),
  }));

/** The same side of a known pair twice. */
const twice = (makers: readonly Makers[]): fc.Arbitrary<ValuePair> =>
  fc.tuple(fc.constantFrom(...makers), fc.boolean()).map(([[what, before, now], isFirst]) => ({
    what: `${what}, ${isFirst ? 'the first' : 'the second'} twice`,
    likeness: 'equal',
    make: isFirst ? before : now,
  }));

const plain: fc.Arbitrary<ValuePair> = fc.jsonValue({ maxDepth: 2 }).map((value) => ({
  what: JSON.stringify(value),
  likeness: 'equal',
  make: () => structuredClone(value),
}));

const RANK: readonly Likeness[] = ['equal', 'unknown', 'different'];
const worst = (parts: readonly ValuePair[]): Likeness =>
  RANK[Math.max(0, ...parts.map(({ likeness }) => RANK.indexOf(likeness)))]!;
const container =
  (what: string, make: (parts: readonly unknown[]) => unknown) =>
  (parts: readonly ValuePair[]): ValuePair => ({
    what: `${what}(${parts.map((part) => part.what).join('; ')})`,
    likeness: worst(parts),
    make: (version) => make(parts.map((part) => part.make(version))),
  });
const named = (parts: readonly unknown[]): object =>
  Object.fromEntries(parts.map((part, index) => [`k${index}`, part]));
const CONTAINERS = [
  container('list', (parts) => [...parts]),
  container('object', named),
  container('bare object', (parts) => bare(named(parts))),
  container('Map', (parts) => new Map(parts.map((part, index) => [index, part]))),
  container('instance', (parts) => own(new Money(1), { parts })),
  container('cause', (parts) => new Error('m', { cause: named(parts) })),
  container('shared', (parts) => ({ first: parts, second: parts })),
  container('cycle', (parts) => {
    const cycle: Record<string, unknown> = { parts };
    cycle['self'] = cycle;
    return cycle;
  }),
];

/** Known pairs, alone and inside containers. A container's likeness is the worst of its parts. */
export const valuePair: fc.Arbitrary<ValuePair> = fc.letrec<{ node: ValuePair; leaf: ValuePair }>((tie) => ({
  leaf: fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 3, arbitrary: twice(DIFFERENT) },
    { weight: 2, arbitrary: known('equal', EQUAL) },
    { weight: 3, arbitrary: known('different', DIFFERENT) },
    { weight: 1, arbitrary: known('unknown', UNKNOWN) },
  ),
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: tie('leaf') },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...CONTAINERS), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
        .map(([make, parts]) => make(parts)),
    },
  ),
})).node;

/** All hand-written pairs. */
export const KNOWN_PAIRS: readonly ValuePair[] = Object.entries({
  different: DIFFERENT,
  equal: EQUAL,
  unknown: UNKNOWN,
}).flatMap(([likeness, makers]) =>
  makers.map(([what, before, now]): ValuePair => ({
    what,
    likeness: likeness as Likeness,
    make: (version) => (version === 0 ? before() : now()),
  })),
);
