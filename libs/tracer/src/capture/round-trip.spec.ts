import { type FieldMeta, type JsonValue, decode, readValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { Capturer } from './capturer.js';

const decoded = (json: JsonValue, meta?: FieldMeta, codecs?: Parameters<typeof decode>[1]): unknown =>
  decode(readValue({ json, meta }), codecs);

const LIMIT = 64 * 1024;
const exact = new Capturer({ redactKeys: false, redactPatterns: false });
const redacting = new Capturer({ maxFieldBytes: LIMIT });

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  stringUnit: 'binary',
  maxDepth: 5,
});

/** Objects, arrays, Maps and Sets that hold leaves and each other: cycles and shared parts in every shape. */
const graph = fc
  .array(
    fc.record({
      kind: fc.constantFrom('object', 'array', 'map', 'set'),
      leaf: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.double(),
        fc.bigInt(),
        fc.constantFrom(undefined, null, true, -0, NaN, Symbol.for('graph'), Symbol.asyncIterator),
        fc.date({ noInvalidDate: true }),
        fc.uint8Array(),
        fc.constantFrom(/a\/b/giu, new URL('https://example.com/a?b=c')),
      ),
      key: fc.string({ unit: 'binary' }),
      links: fc.array(fc.nat(), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((plans) => {
    const nodes = plans.map(({ kind }) =>
      kind === 'object'
        ? {}
        : kind === 'array'
          ? []
          : kind === 'map'
            ? new Map<unknown, unknown>()
            : new Set(),
    );
    plans.forEach(({ leaf, key, links }, i) => {
      put(nodes[i], key, leaf);
      links.forEach((link, n) => {
        put(nodes[i], `${key}${n}`, nodes[link % nodes.length]);
      });
    });
    return nodes[0];
  });

function put(node: unknown, key: string, value: unknown): void {
  if (node instanceof Map) node.set(key, value);
  else if (node instanceof Set) node.add(value);
  else if (Array.isArray(node)) node.push(value);
  else Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
}

function comesBack(value: unknown): unknown {
  const { json, meta } = exact.capture(value);
  // What is sent and stored is text.
  return decoded(JSON.parse(json), meta && (JSON.parse(JSON.stringify(meta)) as typeof meta));
}

describe('captured values', () => {
  it('is the text of JSON.stringify when the value is JSON', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        (value) => exact.capture(value).json === JSON.stringify(value),
      ),
    );
  });

  it('revives to an equal value, of any built-in type', () => {
    fc.assert(
      fc.property(anything, (value) => {
        fc.pre(!holdsInvalidDate(value));
        return isDeepStrictEqual(comesBack(value), value);
      }),
      { numRuns: 500 },
    );
  });

  it('revives to an equal graph, cycles and shared parts included', () => {
    fc.assert(
      fc.property(
        graph,
        (value) => isDeepStrictEqual(comesBack(value), value) && exact.capture(value).replayable,
      ),
      { numRuns: 500 },
    );
  });

  it('does not change when it is captured again', () => {
    fc.assert(fc.property(graph, (value) => isDeepStrictEqual(exact.capture(value), exact.capture(value))));
  });
});

describe('no input', () => {
  const hostile = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      anything,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom('password', 'then', 'toJSON', '__proto__')),
        tie('value'),
      ),
      fc.tuple(tie('value'), fc.func(anything)).map(([value, trap]) => new Unarmed(value, trap)),
      fc.constantFrom(Promise.resolve(), new WeakMap(), Symbol('s'), () => 1, new Date(NaN), new Error('x')),
      fc.string({ minLength: 1000, maxLength: 100_000, unit: 'binary' }),
      fc.constantFrom(
        'Bearer abcdefgh',
        'postgres://u:p@h',
        '4111 1111 1111 1111',
        'sk-abcdefghijklmnopqrstu',
      ),
    ),
  })).value;

  it('makes capture throw, write invalid JSON or pass its bounds', () => {
    fc.assert(
      fc.property(hostile, (plan) => {
        const value = armed(plan);
        const { json } = redacting.capture(value);
        JSON.parse(json);
        JSON.parse(redacting.captureError(value));
        return (
          Buffer.byteLength(json) <= LIMIT &&
          Array.isArray(JSON.parse(redacting.captureArguments([value]).json))
        );
      }),
      { numRuns: 500 },
    );
  });
});

/** A Proxy to be: fast-check looks at what it generates, and a hostile one would harm it. */
class Unarmed {
  constructor(
    readonly value: unknown,
    readonly trap: (...args: unknown[]) => unknown,
  ) {}
}

function armed(plan: unknown): unknown {
  if (plan instanceof Unarmed) return hostileProxy(armed(plan.value), plan.trap);
  if (Array.isArray(plan)) return plan.map(armed);
  if (typeof plan !== 'object' || plan === null || Object.getPrototypeOf(plan) !== Object.prototype)
    return plan;
  return Object.fromEntries(Object.entries(plan).map(([key, value]) => [key, armed(value)]));
}

/** Answers what `trap` answers, or throws. */
function hostileProxy(value: unknown, trap: (...args: unknown[]) => unknown): unknown {
  const target = typeof value === 'object' && value !== null ? value : {};
  let calls = 0;
  const lie = (...args: unknown[]): never => {
    if (calls++ % 3 === 2) throw new Error('trap');
    return trap(calls, args.length) as never;
  };
  return new Proxy(target, {
    get: lie,
    ownKeys: lie,
    getOwnPropertyDescriptor: lie,
    getPrototypeOf: lie,
    has: lie,
  });
}

function holdsInvalidDate(value: unknown): boolean {
  return (
    exact.capture(value).json.includes('null') &&
    JSON.stringify(exact.capture(value).meta ?? '').includes('"Date"')
  );
}
