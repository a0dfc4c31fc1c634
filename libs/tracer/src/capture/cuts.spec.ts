import { decode, equal, type Equality, type FieldMeta, type JsonValue, readValue } from '@dacapo/protocol';
import { sha256 } from '../hashing.js';
import type { CaptureOptions } from '../options/capture-options.js';
import { Capturer } from './capturer.js';

const MIB = 1024 * 1024;

interface Recorded {
  readonly json: JsonValue;
  readonly meta: FieldMeta | undefined;
}

function recorded(value: unknown, options: CaptureOptions = {}): Recorded {
  const { json, meta } = new Capturer(options).capture(value);
  return { json: JSON.parse(json) as JsonValue, meta };
}

function compared(left: Recorded, right: Recorded, sameSalt = false): Equality {
  return equal(readValue(left), readValue(right), { sha256, sameSalt });
}

/** Text of which no two places are alike. */
function numbered(characters: number): string {
  let text = '';
  for (let line = 0; text.length < characters; line++) text += `line ${line} of the report\n`;
  return text.slice(0, characters);
}

describe('a text that is too long', () => {
  it('keeps its head and its tail, and fills the room that it has', () => {
    const text = numbered(3 * MIB);
    const { json, meta } = recorded({ text });
    const { text: shown } = json as { text: string };
    const { kept, tail } = meta!.truncated!['/text'] as { kept: number; tail: number };
    expect(shown).toBe(`${text.slice(0, kept)}…${text.slice(-tail)}`);
    expect(shown.length).toBeGreaterThan(0.88 * MIB);
    expect(meta!.truncated!['/text']).toMatchObject({ bytes: 3 * MIB, sha256: sha256(text) });
  });

  it('of 982,140 bytes is nearly all there, below a property of an argument', () => {
    const { json } = recorded([{ text: numbered(982_140) }]);
    expect(JSON.stringify(json).length).toBeGreaterThan(900_000);
  });

  it.each([
    ['escapes', '\u0001"'],
    ['three bytes', '€'],
    ['surrogate pairs', '🎼'],
    ['lone halves of pairs', 'a\ud83c'],
    ['all that at its end', ''],
  ])('stays within its bytes with %s', (_, piece) => {
    const text = piece === '' ? numbered(4000) + '🎼\u0001'.repeat(4000) : piece.repeat(8000);
    const { json } = new Capturer({ maxFieldBytes: 8192 }).capture({ text, after: 'kept' });
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(8192);
    expect(Buffer.byteLength(json)).toBeGreaterThan(4000);
    expect(JSON.parse(json)).toMatchObject({ after: 'kept' });
  });

  it('is equal to another with the same hash, whatever either kept', () => {
    const [text, other] = [numbered(40_000), `${numbered(39_999)}!`];
    const [small, large] = [{ maxFieldBytes: 8192 }, { maxFieldBytes: 16_384 }];
    expect(compared(recorded(text, small), recorded(text, large))).toBe('equal');
    expect(compared(recorded(text, small), recorded(text))).toBe('equal');
    expect(compared(recorded(text, small), recorded(other, large))).toBe('different');
    expect(compared(recorded(text, small), recorded(other))).toBe('different');
    const middle = text.slice(0, 20_000) + '!' + text.slice(20_001);
    expect(compared(recorded(text, small), recorded(middle, small))).toBe('different');
  });

  it('is unknown without a hash, unless the kept parts differ', () => {
    const without = ({ json, meta }: Recorded): Recorded => {
      const [[pointer, note] = ['', {}]] = Object.entries(meta?.truncated ?? {});
      return { json, meta: { truncated: { [pointer]: { ...note, sha256: null } } } };
    };
    const small = { maxFieldBytes: 8192 };
    const text = numbered(40_000);
    expect(compared(without(recorded(text, small)), recorded(text, small))).toBe('unknown');
    const other = recorded(`${text.slice(0, -1)}!`, small);
    expect(compared(without(recorded(text, small)), without(other))).toBe('different');
  });

  it('compares with recordings that kept 128 characters', () => {
    const text = numbered(40_000);
    const old = {
      json: `${text.slice(0, 128)}…`,
      meta: { truncated: { '': { bytes: text.length, kept: 128, sha256: sha256(text) } } },
    };
    expect(decode(readValue(old))).toBe(old.json);
    expect(compared(old, recorded(text))).toBe('equal');
    expect(compared(old, recorded(text, { maxFieldBytes: 8192 }))).toBe('equal');
    expect(compared(old, recorded(`!${text.slice(1)}`, { maxFieldBytes: 8192 }))).toBe('different');
    expect(compared(old, recorded(`${text.slice(0, -1)}!`, { maxFieldBytes: 8192 }))).toBe('different');
  });
});

describe('a secret in a text that is cut', () => {
  const small = { maxFieldBytes: 8192, redactionSecret: 'one' };
  const KEY = 'sk-proj-abcdefghijklmnop1234';

  it('is masked wherever the cut splits it', () => {
    for (let at = 0; at < 64; at++) {
      const text = `${'w '.repeat(1475)}${'.'.repeat(at)} ${KEY} ${'w '.repeat(20_000)} ${KEY} ${'w '.repeat(1460)}${'.'.repeat(at)}`;
      const { json, meta } = recorded(text, small);
      expect(json).not.toMatch(/sk-proj|ijklmnop1234/);
      expect(meta!.redacted).toEqual(['']);
    }
  });

  it('is masked in a private key of which only the end is kept', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA\n'.repeat(300)}-----END PRIVATE KEY-----`;
    const { json } = recorded(`${numbered(20_000)}\n${pem}`, small);
    expect(json).not.toContain('MIIEpAIBAAKCAQEA');
  });

  it('is masked in the kept parts of a text that is too large to mask as a whole', () => {
    const text = `${KEY} ${'word '.repeat(4_000_000)} ${KEY}`;
    const { json, meta } = recorded(text, small);
    expect(json).not.toContain('abcdefghijkl');
    expect(meta!.truncated!['']).not.toHaveProperty('sha256');
  });

  it('leaves no hash of which it could be guessed', () => {
    const [text, other] = [`pin: 1234 ${'w '.repeat(9000)}`, `pin: 1235 ${'w '.repeat(9000)}`];
    const note = recorded(text, small).meta!.truncated![''];
    expect(note).toMatchObject({ hmac: expect.any(String) });
    expect(JSON.stringify(note)).not.toContain(sha256(text));
    expect(compared(recorded(text, small), recorded(text, small))).toBe('equal');
    expect(compared(recorded(text, small), recorded(other, small), true)).toBe('different');
    expect(compared(recorded(text, small), recorded(other, small))).toBe('unknown');
    expect(compared(recorded(text, small), recorded(text, { ...small, redactionSecret: 'two' }))).toBe(
      'unknown',
    );
  });

  it.each<[string, unknown]>([
    ['bytes', Buffer.from(`${'w '.repeat(90_000)}pin: 1234`)],
    ['a list', Array.from({ length: 9000 }, (_, i) => (i === 7000 ? 'pin: 1234' : 'word'))],
  ])('leaves %s a keyed hash', (_, value) => {
    const { meta } = recorded({ value }, small);
    expect(meta!.truncated!['/value']).toMatchObject({ hmac: expect.any(String) });
    expect(meta!.truncated!['/value']).not.toHaveProperty('sha256');
    expect(compared(recorded({ value }, small), recorded({ value }, small))).toBe('equal');
  });

  it('may be anything where a hook is set', () => {
    const { meta } = recorded('w '.repeat(9000), { ...small, redact: (value) => value });
    expect(meta!.truncated!['']).toMatchObject({ hmac: expect.any(String) });
  });
});

describe('a list that is too long', () => {
  const message = (i: number, content = `message ${i} ${'word '.repeat(600)}`): object => ({
    role: 'user',
    content,
  });
  const chat = [
    message(0, 'You are the support desk.'),
    ...Array.from({ length: 470 }, (_, i) => message(i + 1)),
    message(471, 'Where is my order?'),
  ];

  it('keeps the first and the last messages of a chat of 1.4 MB, each as it is', () => {
    const { json, meta } = recorded([{ model: 'm', messages: chat }]);
    const [{ messages }] = json as unknown as [{ messages: object[] }];
    const note = meta!.truncated!['/0/messages'] as { items: number; kept: number; tail: number };
    expect(note.items).toBe(472);
    expect(messages).toHaveLength(note.kept + note.tail);
    expect(messages.slice(0, note.kept - 1)).toEqual(chat.slice(0, note.kept - 1));
    expect(messages.slice(note.kept)).toEqual(chat.slice(-note.tail));
    expect(Buffer.byteLength(JSON.stringify(json))).toBeGreaterThan(900_000);
  });

  it('keeps the last question after a document that fills the limit', () => {
    const messages = [chat[0], message(1, numbered(2 * MIB)), message(2, numbered(2 * MIB)), chat.at(-1)];
    const { json } = recorded([{ messages }]);
    const [{ messages: shown }] = json as unknown as [{ messages: object[] }];
    expect([shown[0], shown.at(-1)]).toEqual([messages[0], messages[3]]);
    expect(Buffer.byteLength(JSON.stringify(json))).toBeGreaterThan(900_000);
  });

  it('notes types and cuts at their place in the kept part', () => {
    const days = Array.from({ length: 2000 }, (_, i) => ({ i, at: new Date(i) }));
    const { json, meta } = recorded(days, { maxFieldBytes: 8192 });
    const { kept, tail } = meta!.truncated![''] as { kept: number; tail: number };
    expect(decode(readValue({ json, meta }))).toEqual([...days.slice(0, kept), ...days.slice(-tail)]);
    expect(Object.keys(meta!.types!)).toHaveLength(kept + tail);
  });

  it('writes an object that both ends share as one', () => {
    const shared = { name: 'Ann' };
    const list = Array.from({ length: 2000 }, (_, i) => ({ i, shared }));
    const { json, meta } = recorded(list, { maxFieldBytes: 8192 });
    const back = decode(readValue({ json, meta })) as { shared: object }[];
    expect(back.at(-1)!.shared).toBe(back[0]!.shared);
  });

  it('compares by the hash of the whole, and by the parts that both kept', () => {
    const [small, large] = [{ maxFieldBytes: 8192 }, { maxFieldBytes: 16_384 }];
    const list = Array.from({ length: 3000 }, (_, i) => `item ${i}`);
    const other = list.with(1500, '!');
    expect(compared(recorded(list, small), recorded(list, large))).toBe('equal');
    expect(compared(recorded(list, small), recorded(list))).toBe('equal');
    expect(compared(recorded(list, small), recorded(other, small))).toBe('different');
    const unhashed = ({ json, meta }: Recorded): Recorded => ({
      json,
      meta: { truncated: { '': { ...meta!.truncated![''], sha256: null } } },
    });
    expect(compared(unhashed(recorded(list, small)), recorded(list))).toBe('unknown');
    expect(compared(unhashed(recorded(list, small)), unhashed(recorded(list.with(-1, '!'), large)))).toBe(
      'different',
    );
    expect(compared(unhashed(recorded(list, small)), recorded(list.with(0, '!')))).toBe('different');
  });

  it('of holes and of 10 million items takes no longer than of others', () => {
    const sparse = new Array<number>(10_000_000);
    sparse[9_999_999] = 1;
    const { json } = recorded({ sparse, full: new Array(3_000_000).fill(7) });
    expect(Buffer.byteLength(JSON.stringify(json))).toBeLessThan(MIB);
  });
});

describe('a getter at an index', () => {
  it('does not run, neither in a short list nor at the end of a long one', () => {
    let runs = 0;
    for (const length of [3, 100_000]) {
      const list = new Array<number>(length).fill(1);
      for (const index of [1, length - 2])
        Object.defineProperty(list, index, { enumerable: true, get: () => ++runs });
      const { json, meta } = recorded({ list }, { maxFieldBytes: 8192 });
      expect((json as { list: unknown[] }).list[1]).toBe('[Getter]');
      expect((json as { list: unknown[] }).list.at(-2)).toBe('[Getter]');
      expect(meta!.types!['/list/1']).toEqual({ type: 'opaque', class: 'Getter' });
    }
    expect(runs).toBe(0);
  });
});
