import { PII_KINDS, type PiiKind, piiPatterns } from './pii-patterns.js';
import { TextMasker } from './text-masker.js';

function masked(text: string, ...kinds: PiiKind[]): string {
  return new TextMasker(
    () => '[pii]',
    false,
    () => undefined,
    false,
    kinds,
  ).mask(text);
}

const FOUND: [PiiKind, string[]][] = [
  [
    'email',
    ['ann@example.com', 'ann.lee+news@mail.example.co.uk', "o'neil@example.org", 'jürgen@müller.example.de'],
  ],
  [
    'phone',
    [
      '+49 30 1234567',
      '+1 (415) 555-0132',
      '+441632960961',
      '(030) 1234 567',
      '0171-2345678',
      '415-555-0132',
    ],
  ],
  ['card', ['4111 1111 1111 1111', '5019717010103742', '3782-822463-10005', '6304000000000000']],
  [
    'iban',
    [
      'DE89370400440532013000',
      'GB82 WEST 1234 5698 7654 32',
      'NO9386011117947',
      'MT84MALT011000012345MTLCAST001S',
    ],
  ],
  ['ssn', ['536-90-4399', '078-05-1120']],
  [
    'ip',
    [
      '203.0.113.7',
      '10.0.0.1',
      '2001:db8::8a2e:370:7334',
      '::1',
      'fe80::1',
      '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
      '::ffff:192.0.2.1',
    ],
  ],
];

const NOT: [PiiKind, string[]][] = [
  ['email', ['ann@localhost', '@decorated', 'npm i @nestjs/core@12.5.1', 'a @ b.c']],
  [
    'phone',
    [
      '2026-11-25',
      '12:30:45',
      '1.234.567',
      '3.14159265',
      'v1.2.3',
      '12345',
      'ISBN 978-3-16-148410-0',
      '1,234,567,890',
    ],
  ],
  ['card', ['4111 1111 1111 1112', '1764062336123', '2026-11-25 12:30:45']],
  ['iban', ['DE89370400440532013001', 'AB12CDEF', 'GB82 WEST 1234 5698 7654 33', 'HTTP2 CODE ABCD EFGH']],
  [
    'ssn',
    [
      '000-12-3456',
      '666-12-3456',
      '900-12-3456',
      '123-00-4567',
      '123-45-0000',
      '2536-90-4399',
      '536-90-43990',
    ],
  ],
  [
    'ip',
    ['1.2.3', '1.2.3.4.5', '256.1.1.1', '12:30:45', 'a::b::c', 'std::vector', '10.12.5-rc', 'Tracer::open'],
  ],
];

describe('personal data', () => {
  it.each(FOUND)('of the kind %s is masked, in a sentence and in JSON', (kind, texts) => {
    for (const text of texts) {
      expect(masked(text, kind)).toBe('[pii]');
      expect(masked(`Write or call: ${text}, today.`, kind)).toBe('Write or call: [pii], today.');
      expect(masked(JSON.stringify({ a: text }), kind)).toBe('{"a":"[pii]"}');
    }
  });

  it.each(NOT)('of the kind %s does not match another form or a wrong check digit', (kind, texts) => {
    for (const text of texts) expect(masked(`see ${text} here`, kind)).toBe(`see ${text} here`);
  });

  it('is unchanged by default', () => {
    for (const [, texts] of FOUND) for (const text of texts) expect(masked(text)).toBe(text);
  });

  it.each(Array.from('a1.@+- :0(', (char) => [char]))(
    'takes linear time for a text with %j a million times',
    (char) => {
      masked(char.repeat(1_000_000), ...PII_KINDS);
      masked(`${char}1`.repeat(500_000), ...PII_KINDS);
      expect(piiPatterns(PII_KINDS)).toHaveLength(6);
    },
  );
});
