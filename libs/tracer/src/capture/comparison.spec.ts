import { toNode } from '@dacapo/evaluation';
import { equal, type Equality, readValue, type ValueNode } from '@dacapo/protocol';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import type { CaptureOptions } from '../options/capture-options.js';
import { sha256 } from '../hashing.js';
import { Capturer } from './capturer.js';
import { ComparisonWalker } from './comparison-walker.js';

const off: CaptureOptions = { redactKeys: false, redactPatterns: false };
const recording = new Capturer(off);
const comparing = recording.forComparison(ComparisonWalker);

function noted(value: unknown, capturer: Capturer): ValueNode {
  const { json, meta } = capturer.capture(value);
  return readValue({ json: JSON.parse(json), meta: meta && JSON.parse(JSON.stringify(meta)) });
}

/** A recorded value compared with one of a replay, and with one that an evaluator holds. */
function answers(recorded: unknown, live: unknown, capturer = comparing): Set<Equality> {
  const before = noted(recorded, recording);
  return new Set([
    equal(before, noted(live, capturer), { sha256 }),
    equal(noted(live, capturer), before, { sha256 }),
    equal(before, toNode(live), { sha256 }),
  ]);
}

const mark = Symbol('mark');
const createArguments: (...args: unknown[]) => object = function () {
  // eslint-disable-next-line prefer-rest-params
  return arguments;
};
const bare = (properties: object): object => Object.assign(Object.create(null) as object, properties);
const plainProxy = (target: object): object => new Proxy(target, {});

/** What a recording shows of a value, and values that have more. */
const RICHER: [name: string, shown: () => unknown, live: () => unknown][] = [
  ['a name beside the items', () => [1], () => Object.assign([1], { total: 3 })],
  ['a name that looks like an index', () => [1], () => Object.assign([1], { '01': 3 })],
  ['a name that is a fraction', () => [1], () => Object.assign([1], { '0.5': 3 })],
  ['a number beyond the last index', () => [1], () => Object.assign([1], { 4294967295: 3 })],
  ['a name on an empty array', () => [], () => Object.assign([], { total: 3 })],
  ['a match of a pattern', () => ['a'], () => /a/.exec('a')],
  ['a symbol of an array', () => [1], () => Object.assign([1], { [mark]: 1 })],
  ['a symbol of an object', () => ({ a: 1 }), () => ({ a: 1, [mark]: 1 })],
  ['a mark under a symbol', () => ({ a: 1 }), () => ({ a: 1, [mark]: true })],
  ['null under a symbol', () => ({ a: 1 }), () => ({ a: 1, [mark]: null })],
  [
    'a getter under a symbol',
    () => ({ a: 1 }),
    () => ({
      a: 1,
      get [mark](): number {
        return 1;
      },
    }),
  ],
  ['a symbol without a prototype', () => bare({ a: 1 }), () => bare({ a: 1, [mark]: 1 })],
  ['a symbol behind a Proxy', () => ({ a: 1 }), () => plainProxy({ a: 1, [mark]: 1 })],
  ['arguments', () => ({ 0: 1 }), () => createArguments(1)],
  ['Math', () => ({}), () => Math],
  ['JSON', () => ({}), () => JSON],
  ['Atomics', () => ({}), () => Atomics],
  ['a tag', () => ({ a: 1 }), () => ({ a: 1, [Symbol.toStringTag]: 'Row' })],
  ['a date as a plain object', () => ({}), () => Object.setPrototypeOf(new Date(1), Object.prototype)],
  ['a box as a plain object', () => ({}), () => Object.setPrototypeOf(Object(1), Object.prototype)],
];

const NESTS: ((inner: unknown) => unknown)[] = [
  (inner) => [inner],
  (inner) => ({ a: { b: [1, inner] } }),
  (inner) => new Map([['a', inner]]),
  (inner) => new Map([[inner, 'a']]),
  (inner) => new Set([inner]),
  (inner) => Object.assign(new Error('failed'), { details: inner }),
  (inner) => [inner, inner],
];
const nesting = fc.array(fc.constantFrom(...NESTS), { maxLength: 3 });

describe('a live value with more than a recording shows', () => {
  it.each(RICHER)('compares as unknown: %s', (_, shown, live) => {
    expect(answers(shown(), live())).toEqual(new Set(['unknown']));
    expect(answers(live(), live())).toEqual(new Set(['unknown']));
    expect(equal(noted(live(), comparing), noted(live(), comparing), { sha256 })).toBe('unknown');
  });

  it('compares as unknown, and as different when something next to it differs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RICHER), nesting, ([, shown, live], nests) => {
        const nested = (of: unknown): unknown => nests.reduce((inner, nest) => nest(inner), of);
        const one = answers(nested(shown()), nested(live()));
        const other = answers([1, nested(shown())], [2, nested(live())]);
        return isOnly(one, 'unknown') && isOnly(other, 'different');
      }),
      { numRuns: 300 },
    );
  });

  it('is not proven by the hash of a value that was cut', () => {
    const cutting = new Capturer({ ...off, maxFieldBytes: 4096, maxDepth: 3 });
    const rows = (last: unknown): unknown => [...Array.from({ length: 900 }, (_, id) => ({ id })), last];
    const deep = (inner: unknown): unknown => [[[[inner]]]];
    for (const [, shown, live] of RICHER)
      for (const place of [rows, deep]) {
        const before = noted(place(shown()), cutting);
        for (const now of [
          noted(place(live()), cutting.forComparison(ComparisonWalker)),
          noted(place(live()), comparing),
        ])
          expect([equal(before, now, { sha256 }), equal(now, before, { sha256 })]).not.toContain('equal');
      }
  });

  it('is never complete', () => {
    for (const [, , live] of RICHER) expect(comparing.capture(live()).replayable).toBe(false);
  });
});

const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(undefined, null, 1, 'a', true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.sparseArray(tie('value'), { maxNumElements: 2, maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', '01'), tie('value'), { maxKeys: 3 }),
    tie('value').map((inner) => Object.assign(Object.create(null) as object, { inner })),
    tie('value').map((inner) => plainProxy([inner])),
    tie('value').map((shared) => [shared, { shared }]),
  ),
})).value;

describe('any other live value', () => {
  it('is noted as a recording notes it', () => {
    fc.assert(
      fc.property(plain, (value) => isDeepStrictEqual(comparing.capture(value), recording.capture(value))),
    );
  });

  it.each<[string, () => unknown, () => unknown]>([
    ['a symbol that is undefined', () => ({ a: 1 }), () => ({ a: 1, [mark]: undefined })],
    ['what is not enumerable', () => [1], () => Object.defineProperty([1], 'total', { value: 3 })],
    ['an object of an imported module', () => ({ a: 1 }), () => ({ a: 1 })],
  ])('is equal with %s', (_, shown, live) => {
    expect(answers(shown(), live())).toEqual(new Set(['equal']));
  });

  it('of a module is only named', async () => {
    const module: unknown = await import('node:path');
    const note = recording.capture(module).meta?.types?.[''];
    expect(comparing.capture(module).meta?.types?.['']).toEqual(note);
  });
});

describe('an item that is read by a getter', () => {
  let calls = 0;
  const withGetter = (): unknown[] =>
    Object.defineProperty([0, 1, 2], 1, {
      get: () => {
        calls++;
        return 1;
      },
      enumerable: true,
    });

  it('is unknown, and is not run', () => {
    calls = 0;
    const now = noted(withGetter(), comparing);
    expect(calls).toBe(0);
    expect(equal(noted([0, 1, 2], recording), now, { sha256 })).toBe('unknown');
    expect(equal(noted([0, 1, 3], recording), now, { sha256 })).toBe('different');
    expect(equal(noted([0, 1], recording), now, { sha256 })).toBe('different');
  });

  it('leaves holes and undefined items where they are', () => {
    const sparse = Object.defineProperty([, undefined, 2] as unknown[], 4, { get: () => 1 }); // eslint-disable-line no-sparse-arrays
    const { json, meta } = comparing.capture(sparse);
    expect(JSON.parse(json)).toEqual([null, null, 2, null, '[Getter]']);
    expect(meta?.types).toEqual({
      '/0': 'hole',
      '/1': 'undefined',
      '/3': 'hole',
      '/4': { type: 'opaque', class: 'Getter' },
    });
  });
});

it('knows during capture for a comparison that application code runs', () => {
  let isCapturing = false;
  class Row {
    toJSON(): string {
      isCapturing = recording.isCapturing;
      return 'row';
    }
  }
  comparing.capture(new Row());
  expect(isCapturing).toBe(true);
  expect(recording.isCapturing).toBe(false);
});

function isOnly(found: ReadonlySet<Equality>, answer: Equality): boolean {
  return found.size === 1 && found.has(answer);
}
