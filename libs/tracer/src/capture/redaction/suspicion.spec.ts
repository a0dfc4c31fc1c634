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
  ...[
    "IDENTIFIED BY 'hunter2'",
    "PASSWORD '",
    'machine a login b password hunter2',
    'AUTH hunter2',
    'PASS ',
    'ENV ',
  ],
  ...[
    'My password is hunter2',
    'the api key is ',
    'PIN is 4821',
    'mysql -phunter2',
    'redis-cli -a hunter2',
    '-us12',
  ],
  ...[
    '$2b$10$',
    'abc8Q~',
    '1//0',
    'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    'base64:',
    'sqlplus a/b@',
  ],
  ...[
    'password%3Dhunter2',
    '%22password%22%3A%22',
    'code=4%2F0AX4XfWhabc123',
    'response="',
    '"kty":"oct","k":"',
  ],
  ...[
    'form-data; name="password"',
    '\n\nhunter2\n--',
    'name="password" value="hunter2"',
    '<input ',
    '>',
    '<td>',
  ],
  ...[
    '<key>password</key><string>a</string>',
    '- name: DB_PASSWORD\n  value: hunter2',
    'db:5432:shop:ann:hunter2',
  ],
  ...[
    '9f86d081884c7d659a2feaa0c55ad015',
    'SK',
    'key-',
    'password:\n  hunter2',
    'Private-Lines: 1\nAAAA\n',
    ' -ua:b',
  ],
  ...['-----BEGIN PRIVATE KEY-----', '\n', '\t', '\u001b', '\\', '\ud800', '\u00e9', '\u{1f600}', ' '],
];

describe('the quick look at a field', () => {
  it('lets nothing pass that the rules would redact', () => {
    const quick = new Capturer({ redactionSecret: 'salt' });
    const thorough = new Capturer({ redactionSecret: 'salt', redactPatterns: [/(?!)/] });
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
