import * as fc from 'fast-check';
import { Capturer } from '../capturer.js';

/** Pieces of which secrets are made, and what may stand around them. */
const PIECES = [
  ...['password', 'pwd', 'api_key', 'client_secret=abcdefgh', '=', ' = ', ':', ' : ', '"', '\\"', ',', '&'],
  ...[
    'Bearer ',
    'bearer ',
    'Basic ',
    'dXNlcjpwYXNzd29yZA==',
    '://',
    'app:hunter2',
    '@',
    'hunter2hunter2',
    '{',
    '}',
  ],
  ...[
    'sk-proj-abcdefghijklmnopqrst',
    'AKIAIOSFODNN7EXAMPLE',
    'AIzaSyabcdefghijklmnopqrstuvwxyzabcdefgh',
    'a1b2c3',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghij',
  ],
  ...['4111111111111111', '4111-1111 1111 1111', '12', '.', '-', '_', 'x'.repeat(60), 'z'.repeat(4000)],
  ...[
    "password: 'hunter2'",
    'x-api-key: abc1',
    'Cookie: a=b',
    'curl -u a:b',
    '--user ',
    "'",
    '`',
    '&sig=abcdef',
    'https',
  ],
  ...[
    'https://hooks.slack.com/services/T0/B0/abcdef01',
    ':80/',
    'a/b@c',
    'session',
    'token',
    ' token: ',
    '4000 ',
  ],
  ...['--password ', '--api-key', '<password>', '</password>', '<wsse:Password a="b">', '[password]', ']'],
  ...['1234567890:AAF_abcdefghijABCDEFGHIJ0123456789abc', '://a.webhook.office.com/webhookb2/0123abcd'],
  ...['-----BEGIN PRIVATE KEY-----', '\n', '\t', '\u001b', '\\', '\ud800', '\u00e9', '\u{1f600}', ' '],
];

describe('the quick look at a field', () => {
  it('lets nothing pass that the rules would redact', () => {
    const quick = new Capturer({ redactionSalt: 'salt' });
    const thorough = new Capturer({ redactionSalt: 'salt', redactPatterns: [/(?!)/] });
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
    const value = fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.dictionary(text, text, { maxKeys: 3 }));
    fc.assert(
      fc.property(value, (captured) => {
        expect(quick.capture(captured).json).toBe(thorough.capture(captured).json);
      }),
      { numRuns: 2000 },
    );
  });
});
