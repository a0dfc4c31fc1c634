import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Capturer } from '../capturer.js';

/** Made-up secrets in the shapes in which they are met: what the shape is, and a text with the secret in `«»`. */
const SHAPES = JSON.parse(
  readFileSync(join(__dirname, '../../../../../test/secret-shapes.json'), 'utf8'),
) as [kind: string, text: string][];

const FILLER = 'Some words of a letter that says nothing. '.repeat(40);

/** What must not be seen: of an address the password, of a list each item. */
function listSecrets(text: string): string[] {
  const secret = text.split(/[«»]/)[1] ?? '';
  const items = [...secret.matchAll(/"([A-Za-z0-9]{18})"/g)].map(([, item = '']) => item);
  return items.length > 0 ? items : [secret.replace(/^ann:/, '')];
}

describe('a secret', () => {
  const capturer = new Capturer();

  it('has 300 shapes here', () => {
    expect(SHAPES).toHaveLength(300);
    expect(new Set(SHAPES.map(([, text]) => text)).size).toBe(300);
  });

  it.each(SHAPES)('of the shape "%s" is masked, alone and inside a long text: %s', (_, shape) => {
    const text = shape.replace(/[«»]/g, '');
    for (const whole of [text, `${FILLER}\n${text}\n${FILLER}`]) {
      const { json, meta } = capturer.capture({ messages: [{ role: 'user', content: whole }] });
      expect(meta?.redacted).toEqual(['/messages/0/content']);
      for (const secret of listSecrets(shape)) expect(json).not.toContain(secret);
    }
  });

  it('is masked in an error, a stack, a header, a name of a property, a key of a Map and bytes', () => {
    const key = 'sk-proj-abcdefghijklmnop1234';
    const values = [
      { [key]: 1 },
      new Map([[key, 1]]),
      new Map([['api_key', key]]),
      Buffer.from(`OPENAI_API_KEY_PROD=${key}`),
      new TextEncoder().encode(`data: {"apiKey":"${key}"}\n\n`),
      { headers: { 'x-api-key-2': key } },
      new URL(`https://ann:${key}@a.example/?api_key_old=${key}`),
    ];
    for (const value of values) {
      const { json } = capturer.capture(value);
      expect(json).not.toContain('mnop1234');
      expect(json).not.toContain(Buffer.from(key).toString('base64').slice(4, 20));
    }
    expect(capturer.captureError(new Error(`refused: API key: ${key}`))).not.toContain('mnop1234');
  });
});

describe('an id of a session', () => {
  const capturer = new Capturer();
  const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

  it.each([
    { sessionId: ID },
    { session_id: ID },
    { sid: ID },
    ...[
      'sessionID',
      'user_session_id',
      'userSessionId',
      'x-session-id',
      'X-Session-ID',
      'prev_session_id',
    ].map((name) => ({ [name]: ID })),
    { userSessionIds: [ID, ID] },
    { headers: [{ name: 'x-session-id', value: ID }] },
    ['x-session-id', ID],
    `{"userSessionId":"${ID}"}`,
    `x-session-id: ${ID}`,
    { userSessionId: 'ticket-42' },
    `{"sessionId":"${ID}"}`,
    `sessionId=${ID}&a=1`,
  ])('that is a UUID is kept: %j', (value) => {
    expect(JSON.parse(capturer.capture(value).json)).toEqual(value);
  });

  it.each([
    { sessionId: '31d4d96e407aad42aa' },
    { sessionToken: ID },
    { sessionKey: ID },
    { phpsessid: ID },
    { jsessionid: ID },
    { userSessionId: '31d4d96e407aad42aa' },
    { 'x-session-id': '31d4d96e407aad42aa' },
    { token: ID },
    `Cookie: sid=${ID}`,
  ])('that is something else stays masked: %j', (value) => {
    expect(capturer.capture(value).meta?.redacted).toHaveLength(1);
  });
});

describe('a picture and a file', () => {
  const base64 = Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * 7919) % 251)).toString('base64');

  it.each(['', 'data:image/png;base64,'])('in base64 are recorded as they are: %s…', (head) => {
    const { json, meta } = new Capturer().capture({ image: `${head}${base64}AKIAIOSFODNN7EXAMPLE${base64}` });
    expect(meta).toBeUndefined();
    expect(json).toContain(base64);
  });

  it('do not hide a secret next to them, nor a private key in base64', () => {
    const pem = Buffer.from(`-----BEGIN PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA'.repeat(80)}`).toString(
      'base64',
    );
    expect(new Capturer().capture(`${base64} password: hunter2`).json).not.toContain('hunter2');
    expect(new Capturer().capture(pem).json).not.toContain('TUlJ');
  });
});

/** A pattern that takes time by the square of the length would take minutes. */
const HOSTILE_CHARACTERS = 300_000;

describe(`a hostile text of ${HOSTILE_CHARACTERS} characters`, () => {
  it.each([
    ':',
    '=',
    '"',
    '\\',
    '{',
    '[',
    '-',
    ' ',
    'a ',
    '://',
    '--a ',
    '<a',
    'key',
    'password',
    'password is ',
    'api key: ',
    '"a":[',
    '"apiKeys":{',
    'eyJ',
    'sk-',
    '1 ',
    '4111 ',
    '0123456789abcdef',
    'Bearer ',
    'пароль',
    '%3D',
    'form-data;',
    ':1:a:a',
  ])('of %j is masked in time that grows with its length', (piece) => {
    const capturer = new Capturer({ maxFieldBytes: 4 * 1024 * 1024, redactPatterns: [/(?!)/] });
    capturer.capture(piece.repeat(HOSTILE_CHARACTERS / piece.length));
    capturer.capture(`${piece}x`.repeat(HOSTILE_CHARACTERS / 2 / piece.length));
    expect(capturer.isCapturing).toBe(false);
  });
});
