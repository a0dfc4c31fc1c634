import { judgeOutcome, toNode, type Verdict } from '@dacapo/evaluation';
import { type ErrorRecord, equal, type Equality, readValue, type ValueNode } from '@dacapo/protocol';
import fc from 'fast-check';
import { createSecretKey } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Script } from 'node:vm';
import { sha256 } from '../hashing.js';
import { Capturer } from './capturer.js';

const capturer = new Capturer({ redactKeys: false, redactPatterns: false });

function recorded(value: unknown, by = capturer): ValueNode {
  const { json, meta } = by.capture(value);
  return readValue({ json: JSON.parse(json), meta: meta && JSON.parse(JSON.stringify(meta)) });
}

/** Recorded and live in each combination. */
function everyAnswer(left: unknown, right: unknown): Equality[] {
  return [recorded(left), toNode(left)].flatMap((one) =>
    [recorded(right), toNode(right)].flatMap((other) => [
      equal(one, other, { sha256 }),
      equal(other, one, { sha256 }),
    ]),
  );
}

class Rows extends Array<number> {}
class CountedRows extends Array<number> {
  count = 0;
}
class LocalDate extends Date {}
class Digest extends Uint8Array {}
class Cache extends Map<unknown, unknown> {}
class Bag extends Set<unknown> {}
const nameless = (): typeof Map => class extends Map {};
const Nameless = nameless();
class Pattern extends RegExp {}
class Address extends URL {}
class Label extends String {}
class HttpError extends Error {}
class Ticket {
  constructor(readonly id: number) {}
}
class Account {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}
class SealedMap extends Map<unknown, unknown> {
  readonly #cents: number;
  constructor(cents: number) {
    super();
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}
class Money {
  constructor(readonly cents: number) {}
  toJSON(): object {
    return { cents: this.cents };
  }
}
/** `querystring` and Fastify make objects of such prototypes. */
const EMPTY_PROTOTYPE = Object.create(null) as object;
const query = (): object => Object.assign(Object.create(EMPTY_PROTOTYPE) as object, { a: '1' });

const withProperty = (value: object, n: number): object => Object.assign(value, { unit: n });
const withIndex = (value: object, n: number): object => Object.assign(value, { 0: n });
const withName01 = (n: number): object => Object.assign(Rows.from([1]), { '01': n });
const withSymbol = (value: object, n: number): object => Object.assign(value, { [Symbol.for('unit')]: n });
const aborted = (reason?: unknown): AbortSignal => AbortSignal.abort(reason);

/** A value and others, each of which differs in one place: a part, a type, or something hidden. */
type Kind = [name: string, one: () => unknown, ...others: (() => unknown)[]];

/** Values of which all is compared. */
const SEEN: readonly Kind[] = [
  ['number', () => 1, () => 2, () => '1', () => 1n, () => Object(1), () => new Date(1)],
  ['NaN', () => NaN, () => null, () => 'NaN', () => 0],
  ['undefined item', () => [undefined], () => [null], () => [], () => [undefined, undefined]],
  ['sparse array', () => new Array(3), () => new Array(2), () => [1]],
  ['object', () => ({ a: 1 }), () => ({ a: 2 }), () => Object.create(null), () => new Ticket(1), () => [1]],
  ['object without a prototype', () => Object.create(null), () => ({}), () => []],
  ['object of an empty prototype', query, () => ({ a: '1' })],
  ['array', () => [1], () => [2], () => ({ 0: 1 }), () => new Set([1]), () => Rows.from([1])],
  ['array subclass', () => Rows.from([1]), () => Rows.from([2]), () => [1], () => CountedRows.from([1])],
  ['date', () => new Date(0), () => new Date(1), () => new Date(NaN), () => new LocalDate(0)],
  ['invalid date', () => new Date(NaN), () => new Date(0), () => null],
  ['date subclass', () => new LocalDate(0), () => new LocalDate(1), () => new Date(0)],
  ['pattern', () => /a/g, () => /a/i, () => /b/g, () => '/a/g', () => new Pattern('a', 'g')],
  ['buffer', () => Buffer.from('a'), () => Buffer.from('b'), () => new Uint8Array([97]), () => 'YQ=='],
  ['bytes', () => new Uint8Array(2), () => new Uint8Array(3), () => new Int8Array(2), () => new Digest(2)],
  ['floats', () => new Float64Array([NaN]), () => new Float64Array([0])],
  ['bytes subclass', () => new Digest(2), () => new Digest(3), () => new Uint8Array(2)],
  ['array buffer', () => new ArrayBuffer(1), () => new ArrayBuffer(2), () => new SharedArrayBuffer(1)],
  ['view', () => new DataView(new ArrayBuffer(1)), () => new ArrayBuffer(1)],
  ['map', () => new Map([[1, 2]]), () => new Map([[1, 3]]), () => [[1, 2]], () => new Cache([[1, 2]])],
  ['map subclass', () => new Cache(), () => new Map(), () => new Cache([[1, 2]])],
  ['set', () => new Set([1]), () => new Set([2]), () => [1], () => new Bag([1])],
  ['nameless map subclass', () => new Nameless(), () => new Map(), () => new Cache()],
  [
    'address',
    () => new URL('https://a'),
    () => new URL('https://b'),
    () => 'https://a/',
    () => new Address('https://a'),
  ],
  ['parameters', () => new URLSearchParams('a=1&b=2'), () => new URLSearchParams('b=2&a=1')],
  ['boxed string', () => Object('a'), () => Object('b'), () => 'a', () => new Label('a')],
  ['boxed number', () => Object(1), () => Object(2), () => 1, () => Object(1n)],
  ['boxed symbol', () => Object(Symbol.iterator), () => Symbol.iterator, () => Object(Symbol.match)],
  ['registered symbol', () => Symbol.for('a'), () => Symbol.for('b'), () => Symbol.iterator, () => 'a'],
  ['error', () => new Error('a'), () => new Error('b'), () => new TypeError('a'), () => new HttpError('a')],
  ['error with a class', () => withClass('a'), () => withClass('b'), () => new Error('a')],
  ['error message that is no string', () => withMessage(1), () => withMessage(2), () => withMessage('1')],
  ['error without a string for a name', () => withName(1), () => withName(2), () => new Error('a')],
  [
    'error with a cause',
    () => new Error('a', { cause: { b: 1 } }),
    () => new Error('a', { cause: { b: 2 } }),
  ],
  [
    'gathered errors',
    () => new AggregateError([1]),
    () => new AggregateError([2]),
    () => new AggregateError([]),
  ],
  ['platform error', () => new DOMException('a', 'AbortError'), () => new DOMException('a', 'TimeoutError')],
  ['instance', () => new Ticket(1), () => new Ticket(2), () => ({ id: 1 }), () => new Account(1)],
  ['instance with toJSON', () => new Money(1), () => new Money(2), () => ({ cents: 1 })],
  ['signal', () => new AbortController().signal, () => aborted(), () => ({})],
  ['aborted signal', () => aborted(), () => new AbortController().signal, () => aborted('a reason')],
];

/** Values of which something cannot be seen, so that they are not even known to equal themselves. */
const UNSEEN: readonly Kind[] = [
  ...(
    [
      ['date', () => new Date(0)],
      ['pattern', () => /a/],
      ['map', () => new Map()],
      ['set', () => new Set()],
      ['buffer', () => Buffer.from('a')],
      ['bytes', () => new Float64Array([NaN])],
      ['array buffer', () => new ArrayBuffer(1)],
      ['view', () => new DataView(new ArrayBuffer(1))],
      ['address', () => new URL('https://a')],
      ['parameters', () => new URLSearchParams('a=1')],
      ['boxed string', () => Object('a') as object],
      ['boxed number', () => Object(1) as object],
      ['boxed boolean', () => Object(true) as object],
      ['boxed bigint', () => Object(1n) as object],
      ['boxed symbol', () => Object(Symbol.iterator) as object],
      ['array subclass', () => new Rows()],
      ['signal', () => new AbortController().signal],
      ['function', () => () => 1],
    ] as const
  ).map(([name, make]): Kind => [
    `${name} with a property`,
    () => withProperty(make(), 1),
    () => withProperty(make(), 2),
    make,
  ]),
  ['date with an index', () => withIndex(new Date(0), 1), () => withIndex(new Date(0), 2), () => new Date(0)],
  ['pattern with an index', () => withIndex(/a/, 1), () => withIndex(/a/, 2), () => /a/],
  [
    'view with an index',
    () => withIndex(new DataView(new ArrayBuffer(1)), 1),
    () => new DataView(new ArrayBuffer(1)),
  ],
  [
    'array subclass with a name that looks like an index',
    () => withName01(1),
    () => withName01(2),
    () => Rows.from([1]),
  ],
  [
    'date with a symbol',
    () => withSymbol(new Date(0), 1),
    () => withSymbol(new Date(0), 2),
    () => new Date(0),
  ],
  ['bytes with a symbol', () => withSymbol(new Uint8Array(1), 1), () => new Uint8Array(1)],
  ['error with a symbol', () => withSymbol(new Error('a'), 1), () => new Error('a')],
  ['instance with a symbol', () => withSymbol(new Ticket(1), 1), () => new Ticket(1)],
  ['private fields', () => new Account(1), () => new Account(2)],
  ['private fields of a map', () => new SealedMap(1), () => new SealedMap(2)],
  ['inherited data', () => Object.create({ a: 1 }), () => Object.create({ a: 2 })],
  ['number format', () => new Intl.NumberFormat('en'), () => new Intl.NumberFormat('de')],
  ['date format', () => new Intl.DateTimeFormat('en'), () => new Intl.DateTimeFormat('de')],
  ['collator', () => new Intl.Collator('en'), () => new Intl.Collator('de')],
  ['decoder', () => new TextDecoder('utf-8'), () => new TextDecoder('latin1')],
  ['custom reason', () => aborted(new Error('a')), () => aborted(new Error('b')), () => aborted()],
  ['weak reference', () => new WeakRef({ a: 1 }), () => new WeakRef({ a: 2 })],
  ['weak map', () => new WeakMap(), () => new WeakMap([[{}, 1]])],
  ['promise', () => Promise.resolve(1), () => Promise.resolve(2)],
  ['registry', () => new FinalizationRegistry(() => 1), () => new FinalizationRegistry(() => 2)],
  ['blob', () => new Blob(['a']), () => new Blob(['b'])],
  ['headers', () => new Headers({ a: '1' }), () => new Headers({ a: '2' })],
  ['form', () => new FormData(), () => filledForm()],
  ['request', () => new Request('http://a/?b=1'), () => new Request('http://a/?b=2')],
  ['response', () => new Response('a'), () => new Response('b')],
  ['event', () => new Event('a'), () => new Event('b')],
  ['script', () => new Script('1'), () => new Script('2')],
  ['key', () => createSecretKey(Buffer.from('a')), () => createSecretKey(Buffer.from('b'))],
  ['function', () => () => 1, () => () => 2],
  ['symbol', () => Symbol('a'), () => Symbol('a')],
  ['generator', () => counting(1), () => counting(2)],
  ['iterator', () => [1].values(), () => [2].values()],
  ['proxy of a date', () => createProxy(new Date(0)), () => createProxy(new Date(1)), () => new Date(0)],
  [
    'proxy of a map',
    () => createProxy(new Map([[1, 2]])),
    () => createProxy(new Map([[1, 3]])),
    () => new Map([[1, 2]]),
  ],
  [
    'proxy of bytes',
    () => createProxy(new Uint8Array(1).buffer),
    () => createProxy(new Uint8Array(2).buffer),
  ],
  ['proxy of an address', () => createProxy(new URL('https://a')), () => createProxy(new URL('https://b'))],
  ['proxy of private fields', () => createProxy(new Account(1)), () => createProxy(new Account(2))],
  ['detached buffer', detached, () => new ArrayBuffer(0)],
];

function withClass(name: string): Error {
  return Object.assign(new Error('a'), { class: name });
}

function withMessage(message: unknown): Error {
  return Object.assign(new Error(), { message });
}

function withName(name: unknown): Error {
  return Object.assign(new Error('a'), { name });
}

function filledForm(): FormData {
  const form = new FormData();
  form.set('a', '1');
  return form;
}

function* counting(from: number): Generator<number> {
  yield from;
}

function createProxy(target: object): object {
  return new Proxy(target, {});
}

function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

const nests: readonly ((inner: unknown) => unknown)[] = [
  (inner) => inner,
  (inner) => [inner],
  (inner) => ({ a: { b: [1, inner] } }),
  (inner) => new Map([['a', inner]]),
  (inner) => new Set([inner]),
  (inner) => new Ticket(inner as number),
  inError,
  (inner) => Rows.from([inner as number]),
];

function inError(inner: unknown): Error {
  return Object.assign(new Error('outer'), { details: inner });
}

describe('two values of one kind', () => {
  it.each(SEEN)('are equal, and differ in each part: %s', (_, one, ...others) => {
    expect(new Set(everyAnswer(one(), one()))).toEqual(new Set(['equal']));
    for (const other of others) expect(everyAnswer(one(), other())).not.toContain('equal');
  });

  it.each(UNSEEN)('are unknown when a part is not visible: %s', (_, one, ...others) => {
    expect(new Set(everyAnswer(one(), one()))).toEqual(new Set(['unknown']));
    for (const other of others) expect(everyAnswer(one(), other())).not.toContain('equal');
  });

  it('compare as their parts do at any depth, and are equal only where assert.deepStrictEqual agrees', () => {
    // It takes two invalid dates for different ones.
    const seen = SEEN.filter(([name]) => name !== 'invalid date');
    const kind = fc.constantFrom(...seen, ...UNSEEN);
    const slot = fc.record({
      kind,
      nesting: fc.array(fc.constantFrom(...nests), { maxLength: 3 }),
      change: fc.option(fc.nat(), { freq: 3 }),
    });
    fc.assert(
      fc.property(fc.array(slot, { minLength: 1, maxLength: 3 }), (slots) => {
        const build = (isChanged: boolean): unknown[] =>
          slots.map(({ kind: [, one, ...others], nesting, change }) => {
            const make = isChanged && change !== null ? others[change % others.length]! : one;
            return nesting.reduce((inner, nest) => nest(inner), make());
          });
        // Functions in an error are not compared.
        fc.pre(
          !slots.some(({ kind, nesting }) => kind[0].startsWith('function') && nesting.includes(inError)),
        );
        const answers = new Set(everyAnswer(build(false), build(true)));
        if (slots.some(({ change }) => change !== null)) return !answers.has('equal');
        if (slots.some(({ kind }) => UNSEEN.includes(kind))) return isAll(answers, 'unknown');
        return isAll(answers, 'equal') && isDeepStrictEqual(build(false), build(true));
      }),
      { numRuns: 500 },
    );
  });
});

function isAll(answers: ReadonlySet<Equality>, answer: Equality): boolean {
  return answers.size === 1 && answers.has(answer);
}

it('is never equal to a signal, or to another Proxy, once a Proxy of a signal is recorded', () => {
  const { signal } = new AbortController();
  const binding = new Proxy(signal, { get: (of, key) => Reflect.get(of, key, of) as unknown });
  for (const proxy of [createProxy(signal), binding])
    for (const other of [signal, createProxy(signal), binding, aborted()])
      for (const now of [recorded(other), toNode(other)])
        expect([equal(recorded(proxy), now), equal(now, recorded(proxy))]).not.toContain('equal');
});

describe('thrown values', () => {
  const compareThrown = (left: unknown, right: unknown): Verdict => {
    const [baseline, candidate] = [left, right].map((thrown) => ({
      error: JSON.parse(capturer.captureError(thrown)) as ErrorRecord,
    })) as [{ error: ErrorRecord }, { error: ErrorRecord }];
    return judgeOutcome(baseline, candidate).verdict;
  };

  // Its name and message are strings in a record, and the text of a symbol does not identify it.
  it.each(SEEN.filter(([name]) => !/no string|string for a name|^registered symbol/.test(name)))(
    'is equal to the same error, and different when a part changes: %s',
    (_, one, ...others) => {
      expect(compareThrown(one(), one())).toBe('same');
      for (const other of others) expect(compareThrown(one(), other())).not.toBe('same');
    },
  );

  it.each(UNSEEN)('is never equal when a part is not visible: %s', (_, one, ...others) => {
    for (const other of [one, ...others]) expect(compareThrown(one(), other())).not.toBe('same');
  });

  it.each<[string, unknown, unknown]>([
    ['an object', { a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 }],
    ['a list', [{ a: 1, b: 2 }], [{ b: 2, a: 1 }]],
    [
      'a Map',
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 2],
        ['a', 1],
      ]),
    ],
    ['a Set', new Set([1, 2]), new Set([2, 1])],
    ['an object with a message', { message: 'm', a: 1, b: 2 }, { b: 2, a: 1, message: 'm' }],
    ['a long object', { a: 'a'.repeat(20_000), b: 1, c: 2 }, { a: 'a'.repeat(20_000), c: 2, b: 1 }],
    ['a cause', new Error('m', { cause: { a: 1, b: 2 } }), new Error('m', { cause: { b: 2, a: 1 } })],
  ])('is the same in whatever order the keys of %s are', (_, one, other) => {
    expect(compareThrown(one, other)).toBe('same');
  });

  it.each([
    'class',
    '(class)',
    'name',
    'message',
    'code',
    'cause',
    'errors',
    'thrown',
    'properties',
    'meta',
    'cut',
    'record',
  ])('has a property of its own named %s', (name) => {
    const error = (value: unknown): Error => Object.assign(new HttpError('m'), { class: 'c', [name]: value });
    expect(compareThrown(error('a'), error('a'))).toBe('same');
    expect(compareThrown(error('a'), error('b'))).toBe('error');
    const other = Object.assign(new TypeError('m'), { class: 'c', [name]: 'a' });
    expect(compareThrown(error('a'), other)).toBe('error');
  });
});

describe('masked values', () => {
  const masking = new Capturer();
  const compared = (left: unknown, right: unknown): Equality[] =>
    [false, true].map((sameSalt) => {
      const [one, other] = [left, right].map((password) => recorded({ password }, masking)) as [
        ValueNode,
        ValueNode,
      ];
      return equal(one, other, { sha256, sameSalt });
    });

  it.each<[string, unknown, unknown]>([
    ['a number', 1234567890, '1234567890'],
    ['a bigint', 1234567890n, '1234567890'],
    ['a bigint beside a number', 1234567890n, 1234567890],
    ['a date', new Date(0), new Date(0).toISOString()],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a date inside an object', { a: new Date(0) }, { a: new Date(0).toISOString() }],
    ['a Map', new Map([['a', 1]]), [['a', 1]]],
    ['bytes', Buffer.from('hunter22'), Buffer.from('hunter22').toString('base64')],
    ['a pattern', /hunter22/, '/hunter22/'],
    ['a long text of another end', `${'a'.repeat(2_000_000)}b`, `${'a'.repeat(2_000_000)}c`],
  ])('of other types are unknown, though their tokens are equal: %s', (_, one, other) => {
    expect(compared(one, other)).toEqual(['unknown', 'unknown']);
  });

  it.each<[string, unknown]>([
    ['a string', 'hunter22'],
    ['a number', 1234567890],
    ['a bigint', 1234567890n],
    ['a date', new Date(0)],
    ['an object', { a: 1 }],
  ])('of one type are equal: %s', (_, value) => {
    expect(compared(value, value)).toEqual(['equal', 'equal']);
  });

  it('are unknown where their keys may be in another order', () => {
    expect(compared({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual(['unknown', 'unknown']);
  });

  it('are unknown compared with a recording without the types of masked values', () => {
    const { json, meta } = masking.capture({ password: 1234567890 });
    const before = readValue({ json: JSON.parse(json), meta: { redacted: meta?.redacted ?? [] } });
    expect(equal(before, recorded({ password: 1234567890 }, masking), { sameSalt: true })).toBe('unknown');
  });
});
