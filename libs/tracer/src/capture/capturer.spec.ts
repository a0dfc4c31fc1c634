import { type FieldMeta, type JsonValue, decode, readValue } from '@dacapo/protocol';
import { Capturer } from './capturer.js';

const decoded = (json: JsonValue, meta?: FieldMeta, codecs?: Parameters<typeof decode>[1]): unknown =>
  decode(readValue({ json, meta }), codecs);

const capturer = new Capturer();

describe('a captured value', () => {
  it('has natural JSON, without notes when there is nothing to note', () => {
    const ticket = { id: 7, tags: ['login'], open: true, note: null, score: -1.5e-9, empty: [{}, []] };
    expect(capturer.capture(ticket)).toMatchObject({
      json: JSON.stringify(ticket),
      meta: undefined,
      replayable: true,
    });
  });

  it('decodes to an equal value, with types that JSON lacks', () => {
    const value = [
      new Date(0),
      undefined,
      NaN,
      -0,
      10n,
      new Map([['a', new Set([1])]]),
      /a\/b/g,
      Buffer.from('hi'),
    ];
    const { json, meta, replayable } = capturer.captureArguments(value);
    expect(decoded(JSON.parse(json), meta)).toEqual(value);
    expect(replayable).toBe(true);
  });

  it('is the value at that moment, whatever happens to it later', () => {
    const ticket = { status: 'open' };
    const { json } = capturer.capture(ticket);
    ticket.status = 'closed';
    expect(json).toBe('{"status":"open"}');
  });

  it('is undefined with a note when it is missing', () => {
    expect(capturer.capture(undefined)).toMatchObject({
      json: 'null',
      meta: { types: { '': 'undefined' } },
      replayable: true,
    });
  });

  it('skips inherited, symbol and non-enumerable properties', () => {
    const value = Object.defineProperty({ [Symbol('s')]: 1, own: 2 }, 'hidden', { value: 3 });
    expect(capturer.capture(value).json).toBe('{"own":2}');
  });

  it('depends on no value before it', () => {
    capturer.capture({ a: new Date(0), secret: 'hunter2', x: 'ü', cut: 'x'.repeat(2_000_000) });
    expect(capturer.capture({ a: 1 })).toMatchObject({ json: '{"a":1}', meta: undefined, replayable: true });
  });

  it('can be longer than the page that it is written on', () => {
    const value = Array.from({ length: 40 }, (_, i) => ({ i, text: `"ü${'x'.repeat(9000)}` }));
    expect(capturer.capture(value).json).toBe(JSON.stringify(value));
  });
});

describe('the bytes of a captured value', () => {
  it.each(['plain', 'größer “€” 😀', '\ud800'])('are the UTF-8 of its JSON: %s', (text) => {
    for (const value of [text, [{ text }], { [text]: 'x'.repeat(5000) + text }, { password: text, text }]) {
      const { json, utf8 } = capturer.capture(value);
      const bytes = Buffer.alloc(20_000);
      expect(bytes.toString('utf8', 0, bytes.write(utf8, 0, 'latin1'))).toBe(json);
    }
  });
});

describe('arguments', () => {
  it('are in an array, in order', () => {
    expect(capturer.captureArguments(['a', undefined, 1])).toMatchObject({
      json: '["a",null,1]',
      meta: { types: { '/1': 'undefined' } },
      replayable: true,
    });
  });

  it('are in an array even when none may be captured', () => {
    const masking = new Capturer({
      redact: () => {
        throw new Error('hook');
      },
    });
    expect(masking.captureArguments([1])).toMatchObject({
      json: '["[redacted]"]',
      meta: { redacted: [''] },
      replayable: false,
    });
  });
});

describe('a revived value', () => {
  it('may have become a part of something larger', () => {
    const shared = { a: 1 };
    const { json, meta } = capturer.capture([shared, { shared }]);
    const types = Object.fromEntries(
      Object.entries(meta?.types ?? {}).map(([at, note]) => [`/items/7${at}`, note]),
    );
    const larger = { items: [0, 0, 0, 0, 0, 0, 0, JSON.parse(json)] };
    const [first, second] = (decoded(larger, { types }) as { items: [object, { shared: object }][] })
      .items[7]!;
    expect(second.shared).toBe(first);
  });

  it('keeps an unknown type as its JSON', () => {
    expect(decoded({ a: '1' }, { types: { '/a': 'Decimal128', '/b/c': { type: 'later' } } })).toEqual({
      a: '1',
    });
  });

  it('survives notes that do not fit', () => {
    const ref = (to: unknown): object => ({ type: 'ref', to });
    const types = {
      '': 'Map',
      '/0': ref('1/9'),
      '/1': 'bigint',
      '/2': ref('0'),
      '/3': ref('9'),
      '/4': ref(1),
    } as never;
    expect(() => decoded([1, 'x', {}, 3, 4], { types })).not.toThrow();
    expect(decoded('not base 64', { types: { '': 'BigInt64Array' } })).toBe('not base 64');
    expect(decoded('/(/', { types: { '': 'RegExp' } })).toBe('/(/');
  });
});
