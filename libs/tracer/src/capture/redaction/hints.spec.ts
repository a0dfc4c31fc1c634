import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { Capturer } from '../capturer.js';

const SHAPES = JSON.parse(
  readFileSync(join(__dirname, '../../../../../test/secret-shapes.json'), 'utf8'),
) as [kind: string, text: string][];

/** Pieces of which secrets are made, and what may stand around them. */
const PIECES = [
  'password',
  'pwd',
  'api_key',
  'client_secret=abcdefgh',
  '=',
  ' = ',
  ':',
  ' : ',
  '"',
  '\\"',
  ',',
  '&',
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
  'sk-proj-abcdefghijklmnopqrst',
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyabcdefghijklmnopqrstuvwxyzabcdefgh',
  'a1b2c3',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghij',
  '4111111111111111',
  '4111-1111 1111 1111',
  '12',
  '.',
  '-',
  '_',
  'x'.repeat(60),
  'z'.repeat(4000),
  "password: 'hunter2'",
  'x-api-key: abc1',
  'Cookie: a=b',
  'curl -u a:b',
  '--user ',
  "'",
  '`',
  '&sig=abcdef',
  'https',
  'https://hooks.slack.com/services/T0/B0/abcdef01',
  ':80/',
  'a/b@c',
  'session',
  'token',
  ' token: ',
  '4000 ',
  '--password ',
  '--api-key',
  '<password>',
  '</password>',
  '<wsse:Password a="b">',
  '[password]',
  ']',
  '1234567890:AAF_abcdefghijABCDEFGHIJ0123456789abc',
  '://a.webhook.office.com/webhookb2/0123abcd',
  "IDENTIFIED BY 'hunter2'",
  "PASSWORD '",
  'machine a login b password hunter2',
  'AUTH hunter2',
  'PASS ',
  'ENV ',
  'My password is hunter2',
  'the api key is ',
  'PIN is 4821',
  'mysql -phunter2',
  'redis-cli -a hunter2',
  '-us12',
  '$2b$10$',
  'abc8Q~',
  '1//0',
  'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  'base64:',
  'sqlplus a/b@',
  'password%3Dhunter2',
  '%22password%22%3A%22',
  'code=4%2F0AX4XfWhabc123',
  'response="',
  '"kty":"oct","k":"',
  'form-data; name="password"',
  '\n\nhunter2\n--',
  'name="password" value="hunter2"',
  '<input ',
  '>',
  '<td>',
  '<key>password</key><string>a</string>',
  '- name: DB_PASSWORD\n  value: hunter2',
  'db:5432:shop:ann:hunter2',
  '9f86d081884c7d659a2feaa0c55ad015',
  'SK',
  'key-',
  'password:\n  hunter2',
  'Private-Lines: 1\nAAAA\n',
  ' -ua:b',
  '-----BEGIN PRIVATE KEY-----',
  '\n',
  '\t',
  '\u001b',
  '\\',
  '\ud800',
  '\u00e9',
  '\u{1f600}',
  ' ',
];

describe('the search for hints', () => {
  it('masks a text that was masked before no further', () => {
    const capturer = new Capturer({ redactionSecret: 'salt' });
    for (const [, shape = ''] of SHAPES) {
      const once = capturer.maskText(shape.replace(/[«»]/g, ''));
      expect(capturer.maskText(once)).toBe(once);
    }
  });

  it('finds a secret after a long run of base64 with any beginning', () => {
    const capturer = new Capturer();
    for (const [, shape = ''] of SHAPES.filter(([, text]) => /^[^A-Za-z«]/.test(text))) {
      const text = `${'zZ0/'.repeat(600)} ${shape}`.replace(/[«»]/g, '');
      expect(capturer.maskText(text)).toContain('[redacted:');
    }
    expect(capturer.maskText(`${'z'.repeat(2000)}Contraseña: hunter2hunter2`)).not.toContain('hunter2');
  });

  it('masks a long value once, wherever else the field contains a secret', () => {
    const long = `${'word '.repeat(2000)}password: |\n  hunter2hunter2\npostgres://ann:hunter2@db/a`;
    const capturer = new Capturer({ redactionSecret: 'salt' });
    const alone = JSON.parse(capturer.capture([long]).json) as unknown[];
    const { json, meta } = capturer.capture([long, { apiKey: 'hunter2' }, Buffer.from(long), Symbol(long)]);
    expect((JSON.parse(json) as unknown[])[0]).toBe(alone[0]);
    expect(json).not.toContain('hunter2');
    expect(json).not.toContain(Buffer.from('hunter2hun').toString('base64').slice(2, 10));
    expect(meta?.redacted).toHaveLength(3);
  });

  it('reads nothing behind the end of a text', () => {
    const capturer = new Capturer();
    expect(capturer.maskText('9'.repeat(40))).toBe('9'.repeat(40));
    expect(capturer.maskText('x 4111111111111111')).toMatch(/^x \[redacted:/);
  });

  it.each(['\n', '\t', '\r\n', '\u0001', 'é', '"', '\\n', '\\\\n', 'a '])(
    'finds each shape behind %j',
    (before) => {
      const hinted = new Capturer({ redactionSecret: 'salt' });
      const thorough = new Capturer({ redactionSecret: 'salt', redactPatterns: [/(?!)/] });
      for (const [, shape = ''] of SHAPES) {
        const text = `x${before}${shape.replace(/[«»]/g, '')}`;
        expect([text, hinted.capture([text]).json]).toEqual([text, thorough.capture([text]).json]);
        const inside = JSON.stringify({ text });
        expect([inside, hinted.capture([inside]).json]).toEqual([inside, thorough.capture([inside]).json]);
      }
    },
  );

  it('misses nothing that the patterns mask', () => {
    const hinted = new Capturer({ redactionSecret: 'salt' });
    const thorough = new Capturer({ redactionSecret: 'salt', redactPatterns: [/(?!)/] });
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
    const value = fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.dictionary(text, text, { maxKeys: 3 }));
    fc.assert(
      fc.property(value, (captured) => {
        expect(hinted.capture(captured).json).toBe(thorough.capture(captured).json);
      }),
      { numRuns: 300 },
    );
  });
});
