import { type FieldMeta, type JsonValue, decode, readValue } from '@dacapo/protocol';
import { Image } from '@boundaryml/baml';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { Observable } from 'rxjs';
import { Capturer } from './capturer.js';

const decoded = (json: JsonValue, meta?: FieldMeta, codecs?: Parameters<typeof decode>[1]): unknown =>
  decode(readValue({ json, meta }), codecs);

const capturer = new Capturer();

/** What a reader of the record sees. */
function seen(value: unknown): unknown {
  return JSON.parse(capturer.capture(value).json);
}

function comesBack(value: unknown): unknown {
  const { json, meta } = capturer.capture(value);
  return decoded(JSON.parse(json), meta);
}

describe('a Proxy of very many properties', () => {
  it('is cut after ten thousand, without more trap calls than that needs', () => {
    let calls = 0;
    const names = Array.from({ length: 100_000 }, (_, i) => `k${i}`);
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => (calls++, names),
        getOwnPropertyDescriptor: () => (calls++, { value: 1, enumerable: true, configurable: true }),
      },
    );
    const { json, meta, replayable } = capturer.capture([proxy]);
    expect(Object.keys((JSON.parse(json) as [object])[0])).toHaveLength(10_000);
    expect(meta?.truncated).toEqual({ '/0': { properties: 100_000, kept: 10_000 } });
    expect(replayable).toBe(false);
    expect(calls).toBeLessThan(10_100);
  });
});

describe('values that JSON cannot represent', () => {
  it('records a cycle by where it leads, without writing to the object, frozen or not', () => {
    const ticket: Record<string, unknown> = { id: 1 };
    ticket['self'] = ticket;
    const back = comesBack(Object.freeze(ticket)) as typeof ticket;
    expect(seen(ticket)).toEqual({ id: 1, self: '[Circular]' });
    expect(back['self']).toBe(back);
    expect(Reflect.ownKeys(ticket)).toEqual(['id', 'self']);
  });

  it('appears in each place, and decodes to one object', () => {
    const customer = { name: 'Ada' };
    const back = comesBack([customer, { customer }]) as [object, { customer: object }];
    expect(seen([customer, { customer }])).toEqual([{ name: 'Ada' }, { customer: { name: 'Ada' } }]);
    expect(back[1].customer).toBe(back[0]);
  });

  it('keeps a value that doubles at every level small', () => {
    let doubling: unknown = { leaf: 'x'.repeat(100) };
    for (let i = 0; i < 40; i++) doubling = [doubling, doubling];
    const { json, meta, replayable } = capturer.capture(doubling);
    const back = decoded(JSON.parse(json), meta) as unknown[];
    expect(json.length).toBeLessThan(200_000);
    expect(back[0]).toBe(back[1]);
    expect(replayable).toBe(true);
  });

  it.each([
    ['a bigint', 2n ** 70n, '1180591620717411303424'],
    ['NaN', NaN, 'NaN'],
    ['an infinity', -Infinity, '-Infinity'],
    ['minus zero', -0, 0],
    ['undefined', undefined, null],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a regular expression', /a\/b/giu, '/a\\/b/giu'],
    ['a URL', new URL('https://example.com/a?b=1'), 'https://example.com/a?b=1'],
    ['query parameters', new URLSearchParams('a=1&a=2'), 'a=1&a=2'],
    [
      'a Map, whatever its keys',
      new Map<unknown, unknown>([
        ['1', 'a'],
        [1, 'b'],
        [{ k: 1 }, 'c'],
      ]),
      [
        ['1', 'a'],
        [1, 'b'],
        [{ k: 1 }, 'c'],
      ],
    ],
    ['a Set', new Set([1, '1']), [1, '1']],
    ['a Buffer', Buffer.from('hello'), 'aGVsbG8='],
    ['a typed array', new Float32Array([1, NaN]), 'AACAPwAAwH8='],
    ['an ArrayBuffer', new Uint8Array([1, 2]).buffer, 'AQI='],
    ['a registered symbol', Symbol.for('app.kind'), 'Symbol(app.kind)'],
    ['a well-known symbol', Symbol.iterator, 'Symbol(Symbol.iterator)'],
    ['a boxed string', Object('x'), 'x'],
    ['a boxed bigint', Object(1n), '1'],
  ])('keeps %s readable, and brings it back', (_, value, shown) => {
    expect(seen(value)).toEqual(shown);
    expect(comesBack(value)).toStrictEqual(value);
    expect(capturer.capture(value).replayable).toBe(true);
  });

  it('decodes an invalid date', () => {
    expect(seen(new Date(NaN))).toBeNull();
    expect((comesBack(new Date(NaN)) as Date).getTime()).toBeNaN();
  });

  it('keeps class, code, cause and own data of an error, without its stack', () => {
    const error = Object.assign(new TypeError('bad', { cause: new RangeError('deep') }), {
      code: 'E_BAD',
      status: 400,
    });
    expect(seen(error)).toEqual({
      name: 'TypeError',
      message: 'bad',
      cause: { name: 'RangeError', message: 'deep' },
      code: 'E_BAD',
      status: 400,
    });
    const back = comesBack(error) as typeof error;
    expect(back).toBeInstanceOf(TypeError);
    expect(back.cause).toBeInstanceOf(RangeError);
    expect([back.message, back.code, back.status]).toEqual(['bad', 'E_BAD', 400]);
  });

  it('keeps the errors of an AggregateError', () => {
    const back = comesBack(new AggregateError([new Error('one')], 'all')) as AggregateError;
    expect(back).toBeInstanceOf(AggregateError);
    expect(back.errors).toEqual([new Error('one')]);
  });

  it('distinguishes undefined from absent and from a hole', () => {
    const value = [{ a: undefined, b: 1 }, [undefined, 1], new Array(2)];
    expect(comesBack(value)).toStrictEqual(value);
    expect(Object.keys((comesBack(value) as [object])[0])).toContain('a');
  });

  it('writes a million holes as one', () => {
    const holes: unknown[] = new Array(1_000_000);
    holes.push('end');
    expect(capturer.capture(holes).json).toBe('[null,"end"]');
    expect((comesBack(holes) as unknown[]).length).toBe(1_000_001);
  });

  it('captures an array of the maximum length', () => {
    const sparse: unknown[] = [];
    sparse[4_000_000_000] = 'far';
    expect(capturer.capture(sparse).json).toBe('[null,"far"]');
  });

  it('keeps a __proto__ key as data', () => {
    const value: unknown = JSON.parse('{"__proto__":{"admin":true},"when":1}');
    const back = comesBack([value, new Date(0)]) as [object];
    expect(Object.hasOwn(back[0], '__proto__')).toBe(true);
    expect((back[0] as { admin?: boolean }).admin).toBeUndefined();
  });

  it('keeps an object without a prototype one', () => {
    expect(Object.getPrototypeOf(comesBack(Object.assign(Object.create(null), { a: 1 })))).toBeNull();
  });

  it('writes half of a surrogate pair as an escape, in short and long strings', () => {
    for (const text of ['\ud800', `${'é'.repeat(5000)}\udc00 end`]) {
      expect(Buffer.from(capturer.capture(text).json).toString()).toBe(capturer.capture(text).json);
      expect(comesBack(text)).toBe(text);
    }
  });

  it('writes every character as JSON.stringify does', () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).join('');
    expect(capturer.capture(all).json).toBe(JSON.stringify(all));
    expect(capturer.capture('😀'.repeat(5000)).json).toBe(JSON.stringify('😀'.repeat(5000)));
  });
});

describe('objects with behaviour instead of data', () => {
  it.each([
    ['a function', function classify() {}, '[Function classify]'],
    ['an async function', async () => 1, '[AsyncFunction]'],
    ['a promise', Promise.resolve(1), '[Promise]'],
    ['a WeakMap', new WeakMap(), '[WeakMap]'],
    ['a WeakRef', new WeakRef({}), '[WeakRef]'],
    [
      'a generator',
      (function* () {
        yield 1;
      })(),
      '[Generator]',
    ],
    ['a web stream', new ReadableStream(), '[ReadableStream]'],
    ['a node stream', new PassThrough(), '[PassThrough]'],
    ['an observable', new Observable(), '[Observable]'],
    ['a blob', new Blob(['x']), { type: '', size: 1 }],
    ['fetch headers', new Headers({ authorization: 'Bearer abcdef' }), '[Headers]'],
    ['an emitter', new EventEmitter(), '[EventEmitter]'],
    ['a symbol of its own', Symbol('mine'), 'Symbol(mine)'],
  ])('names %s, and says that the call cannot be made again', (_, value, label) => {
    const { json, replayable } = capturer.capture({ value });
    expect(JSON.parse(json)).toEqual({ value: label });
    expect(replayable).toBe(false);
  });

  it('names an iterator and consumes nothing', async () => {
    let taken = 0;
    const source = (async function* () {
      yield ++taken;
    })();
    const map = new Map([[1, 2]]).entries();
    expect(seen([source, map])).toEqual(['[Generator]', '[Iterator]']);
    expect(taken).toBe(0);
    expect(await source.next()).toEqual({ value: 1, done: false });
    expect(map.next().value).toEqual([1, 2]);
  });

  it('neither awaits nor handles a promise', () => {
    const thenable = new (class Query {
      then() {
        throw new Error('executed');
      }
    })();
    expect(seen({ thenable })).toEqual({ thenable: '[Query]' });
  });

  it('does not read or lock a stream', () => {
    const stream = new ReadableStream();
    capturer.capture({ stream });
    expect(stream.locked).toBe(false);
  });

  it('treats an abort signal as control, not data: the call stays replayable', () => {
    const { json, replayable, meta } = capturer.capture({ signal: new AbortController().signal });
    expect(JSON.parse(json)).toEqual({ signal: '[AbortSignal]' });
    expect(decoded(JSON.parse(json), meta)).toEqual({ signal: expect.any(AbortSignal) });
    expect(replayable).toBe(true);
  });

  it('names native values without a constructor that throw when stringified, and marks them as not replayable', () => {
    const image = Image.fromUrl('https://example.com/a.png');
    const native: unknown = (image as unknown as { bamlImage?: unknown }).bamlImage ?? image;
    const { json, replayable } = capturer.capture([image, native, 'neighbour']);
    expect(JSON.parse(json)).toEqual([expect.stringMatching(/^\[\w+\]$/), expect.any(String), 'neighbour']);
    expect(replayable).toBe(false);
  });
});

describe('objects that resist', () => {
  const resisting: Record<string, () => unknown> = {
    'a throwing getter': () => ({
      get bad(): never {
        throw new Error('no');
      },
    }),
    'a Proxy that throws': () =>
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no');
          },
          getPrototypeOf() {
            throw new Error('no');
          },
        },
      ),
    'a revoked Proxy': () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    'a toJSON that throws': () =>
      new (class Money {
        cents = 5;
        toJSON(): never {
          throw new Error('no');
        }
      })(),
    'a throwing Symbol.toStringTag': () =>
      new (class Odd {
        get [Symbol.toStringTag](): never {
          throw new Error('no');
        }
      })(),
    'a Proxy that claims to be endless': () =>
      new Proxy([], { get: (_, key) => (key === 'length' ? 4e9 : undefined) }),
    'a Proxy that makes more of itself': () => {
      const handler: ProxyHandler<object> = {
        ownKeys: () => ['more'],
        getOwnPropertyDescriptor: () => ({
          value: new Proxy({}, handler),
          enumerable: true,
          configurable: true,
        }),
      };
      return new Proxy({}, handler);
    },
  };

  it.each(Object.entries(resisting))('isolates a failing %s from its neighbours', (_, make) => {
    const { json } = capturer.capture({ before: 1, value: make(), after: [2] });
    expect(JSON.parse(json)).toMatchObject({ before: 1, after: [2] });
  });

  it('do not reuse the result of toJSON for an object that appears twice', () => {
    const decimal = new (class Decimal {
      toJSON(): string {
        return '1.50';
      }
    })();
    const half = new Proxy<Record<string, unknown>>(
      { decimal, rest: 1 },
      {
        getOwnPropertyDescriptor(target, key) {
          if (key === 'rest') throw new Error('no');
          return Reflect.getOwnPropertyDescriptor(target, key);
        },
      },
    );
    const twice = { id: 1 };
    expect(seen([half, twice, twice])).toEqual(['[Unreadable]', { id: 1 }, { id: 1 }]);
  });

  it('runs no getter of plain data', () => {
    let reads = 0;
    const lazy = {
      get rows() {
        return ++reads;
      },
      id: 1,
    };
    expect(seen(lazy)).toEqual({ rows: '[Getter]', id: 1 });
    expect(reads).toBe(0);
  });

  it('follows 20,000 levels only as far as the limit', () => {
    let deep: unknown = 'bottom';
    for (let i = 0; i < 20_000; i++) deep = { deep };
    const { json, meta, replayable } = capturer.capture({ deep, after: 1 });
    expect(JSON.parse(json)).toMatchObject({ after: 1 });
    expect(Object.values(meta?.truncated ?? {})).toEqual([{ depth: 100 }]);
    expect(replayable).toBe(false);
  });

  it('records as much as possible when the stack is nearly full', () => {
    const descend = (): string => {
      try {
        return descend();
      } catch {
        return capturer.capture({ a: [{ b: 1 }] }).json;
      }
    };
    expect(() => JSON.parse(descend()) as unknown).not.toThrow();
  });

  it('calls toJSON once, which may call traced code', () => {
    let calls = 0;
    const decimal = new (class Decimal {
      toJSON(): string {
        calls++;
        return capturer.capture({ nested: '1.50' }).json;
      }
    })();
    expect(seen([{ long: 'x'.repeat(100) }, decimal, decimal, 'after'])).toEqual([
      { long: 'x'.repeat(100) },
      '{"nested":"1.50"}',
      '{"nested":"1.50"}',
      'after',
    ]);
    expect(calls).toBe(1);
  });
});

describe('values of another realm', () => {
  it('are recognised without instanceof', () => {
    const foreign: unknown = runInNewContext(
      '({ map: new Map([[1, new Date(0)]]), set: new Set([1]), error: new TypeError("x"), list: [1], plain: { a: 1 }, re: /a/g })',
    );
    expect(seen(foreign)).toEqual({
      map: [[1, '1970-01-01T00:00:00.000Z']],
      set: [1],
      error: { name: 'TypeError', message: 'x' },
      list: [1],
      plain: { a: 1 },
      re: '/a/g',
    });
    expect(capturer.capture(foreign).replayable).toBe(true);
  });

  it('are plain without a note when they are plain', () => {
    expect(capturer.capture(runInNewContext('({ a: [1] })')).meta).toBeUndefined();
  });
});

describe('classes', () => {
  class TicketDto {
    constructor(readonly subject: string) {}
  }
  class Account {
    #password = 'hunter2';
    id = 7;
    check(text: string): boolean {
      return text === this.#password;
    }
  }

  it('with data only are recorded as data and stay replayable', () => {
    const { json, meta, replayable } = capturer.capture(new TicketDto('login'));
    expect(json).toBe('{"subject":"login"}');
    expect(meta).toEqual({ types: { '': { type: 'class', class: 'TicketDto' } } });
    expect(replayable).toBe(true);
  });

  it('with methods are recorded as data and are not replayable', () => {
    const { json, replayable } = capturer.capture(new Account());
    expect(json).toBe('{"id":7}');
    expect(replayable).toBe(false);
  });

  it('with a codec decode to instances', () => {
    const codec = {
      name: 'Account',
      recognise: (value: object) => value instanceof Account,
      encode: (value: object) => ({ when: new Date(0), id: (value as Account).id }),
      decode: () => new Account(),
    };
    const { json, meta, replayable } = new Capturer({ codecs: [codec] }).capture([new Account()]);
    expect(json).toBe('[{"when":"1970-01-01T00:00:00.000Z","id":7}]');
    expect((decoded(JSON.parse(json), meta, [codec]) as [Account])[0].check('hunter2')).toBe(true);
    expect(replayable).toBe(true);
  });

  it('whose codec throws are recorded without it', () => {
    const codec = {
      name: 'x',
      recognise: (): never => {
        throw new Error('no');
      },
      encode: String,
      decode: () => ({}),
    };
    expect(new Capturer({ codecs: [codec as never] }).capture(new TicketDto('a')).json).toBe(
      '{"subject":"a"}',
    );
  });
});
