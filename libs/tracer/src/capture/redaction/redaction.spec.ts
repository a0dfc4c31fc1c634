import {
  isSecretName,
  type FieldMeta,
  type JsonValue,
  decode,
  equal,
  readValue,
  type ValueNode,
} from '@dacapo/protocol';
import { Capturer } from '../capturer.js';
import type { CaptureOptions } from '../../options/capture-options.js';

const decoded = (json: JsonValue, meta?: FieldMeta, codecs?: Parameters<typeof decode>[1]): unknown =>
  decode(readValue({ json, meta }), codecs);

const TOKEN = /^\[redacted:[0-9a-f]{12}\]$/;

function seen(value: unknown, options?: CaptureOptions): unknown {
  return JSON.parse(new Capturer(options).capture(value).json);
}

describe('a property whose name says secret', () => {
  it.each([
    ...[
      'password',
      'dbPassword',
      'PASSWD',
      'user_password',
      'passphrase',
      'secret',
      'client_secret',
      'STRIPE_SECRET',
    ],
    ...[
      'token',
      'accessToken',
      'refresh_token',
      'x-auth-token',
      'adminToken',
      'apiKey',
      'api_key',
      'X-API-Key',
    ],
    ...[
      'OPENAI_API_KEY',
      'authorization',
      'Proxy-Authorization',
      'cookie',
      'Set-Cookie',
      'privateKey',
      'credentials',
    ],
    ...['aws_secret_access_key', 'AccessKeyId', 'ssn', 'cvv', 'connectionString', 'session_token'],
  ])('%s is replaced by a token', (name) => {
    expect(seen({ [name]: 'some value' })).toEqual({ [name]: expect.stringMatching(TOKEN) });
  });

  it.each([
    ...[
      'inputTokens',
      'output_tokens',
      'max_tokens',
      'maxTokens',
      'token_count',
      'tokenCount',
      'total_tokens',
    ],
    ...[
      'next_page_token',
      'pageToken',
      'stopToken',
      'eos_token',
      'tokenizer',
      'tokens',
      'monkey',
      'keyword',
      'author',
    ],
    ...[
      'secretary',
      'passport',
      'compass',
      'cookieConsent',
      'key',
      'publicKey',
      'sessionId',
      'idempotencyKey',
    ],
  ])('%s is none', (name) => {
    expect(isSecretName(name)).toBe(false);
    expect(seen({ [name]: 'some value' })).toEqual({ [name]: 'some value' });
  });

  it('is replaced with all that it holds, and lists where', () => {
    const { json, meta, replayable } = new Capturer().capture({
      credentials: { user: 'a', when: new Date(0) },
      id: 1,
    });
    expect(JSON.parse(json)).toEqual({ credentials: expect.stringMatching(TOKEN), id: 1 });
    expect(meta).toEqual({ redacted: ['/credentials'] });
    expect(replayable).toBe(true);
  });

  it('keeps flags, absences and counts', () => {
    const flags = { password: null, hasPassword: true, secret: '', token: 12, apiKey: false };
    expect(seen(flags)).toEqual(flags);
  });

  it('keeps the pieces of text that a model calls tokens', () => {
    const answer = { content: [{ token: 'Hello', logprob: -0.1 }] };
    expect(seen(answer)).toEqual(answer);
  });

  it('is known in Maps, in classes and in errors too', () => {
    class Login {
      password = 'hunter2';
    }
    const error = Object.assign(new Error('x'), { config: { headers: { Authorization: 'hunter2' } } });
    const { json } = new Capturer().capture([new Map([['password', 'hunter2']]), new Login(), error]);
    expect(json).not.toContain('hunter2');
  });

  it('may be one of the options', () => {
    const options = { redactKeys: ['customer-email', /^x_/] };
    expect(seen({ customerEmail: 'a@b.c', x_note: 'n', password: 'p' }, options)).toEqual({
      customerEmail: expect.stringMatching(TOKEN),
      x_note: expect.stringMatching(TOKEN),
      password: expect.stringMatching(TOKEN),
    });
  });

  it('stays when names are switched off', () => {
    expect(seen({ password: 'p' }, { redactKeys: false })).toEqual({ password: 'p' });
  });
});

describe('a secret inside a text', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
  const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----';

  it.each([
    ['a bearer token', 'Authorization: Bearer abc.def-123', 'abc.def-123'],
    ['a bearer token in lower case', 'sent bearer 3f2a9c7be1d04455aa90', '3f2a9c7be1d04455aa90'],
    ['basic credentials', 'Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA=='],
    ['a provider key', 'use sk-proj-abcdefghijklmnop1234 for it', 'sk-proj-abcdefghijklmnop1234'],
    [
      'a provider key after a line break',
      'key:\nsk-ant-api03-abcdefghijklmnop',
      'sk-ant-api03-abcdefghijklmnop',
    ],
    ['a payment key', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
    [
      'a repository key',
      'push with ghp_16C7e42F292c6912E7710c838347Ae178B4a',
      'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    ],
    ['a cloud key', 'AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
    ['a maps key', 'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY', 'AIzaSyD'],
    ['a web token', `cookie ${jwt}.`, jwt],
    ['a private key', `here: ${pem} done`, 'MIIEpAIBAAKCAQEA'],
    ['credentials of a URL', 'postgres://app:hunter2@db.internal/app', 'app:hunter2'],
    ['a query parameter', 'https://example.com/cb?code=1&access_token=hunter2&x=1', 'hunter2'],
    ['an environment line', 'A=1\nOPENAI_API_KEY=hunter2', 'hunter2'],
    ['a connection string', 'Server=db;Password=hunter2;', 'hunter2'],
    ['JSON in a string', '{"city":"Paris","password" : "hunter\\"2"}', 'hunter'],
    ['a card number', 'card 4111 1111 1111 1111, thanks', '4111 1111 1111 1111'],
    ['a card number without spaces', 'pay 378282246310005', '378282246310005'],
    ['a card number after a name', 'card_4111111111111111', '4111111111111111'],
    ['a card number on a line of its own', 'card\n4111111111111111', '4111111111111111'],
    ['a name on a line of its own', 'A=1\nPWD=hunter2', 'hunter2'],
    ['JSON in a string, its colons aligned', '{"password"   : "hunter2"}', 'hunter2'],
    ['a provider key after a backslash', 'C:\\sk-proj-abcdefghijklmnop1234', 'sk-proj-abcdefghijklmnop1234'],
    ['a text that holds half of a surrogate pair', '\ud800 Password=hunter2;', 'hunter2'],
  ])('is found: %s', (_, text, secret) => {
    for (const value of [
      text,
      { text },
      [`${'word '.repeat(2000)}${text}`],
      new Map([[text, 1]]),
      { [text]: 1 },
    ]) {
      const { json, meta, replayable } = new Capturer().capture(value);
      expect(json).not.toContain(secret);
      expect(json).toMatch(/\[redacted:[0-9a-f]{12}\]/);
      expect(meta?.redacted).toHaveLength(1);
      expect(replayable).toBe(true);
    }
  });

  it.each([
    ['Visa', '4012888888881881'],
    ['Mastercard', '5555 5555 5555 4444'],
    ['Mastercard of the newer range', '2223003122003222'],
    ['American Express', '3714 496353 98431'],
    ['Diners Club', '30569309025904'],
    ['Discover', '6011-1111-1111-1117'],
    ['JCB', '3530 1113 3330 0000'],
    ['UnionPay', '6200000000000005'],
  ])('is a card number of %s', (_, number) => {
    expect(seen(`card ${number}.`)).toMatch(/^card \[redacted:[0-9a-f]{12}\]\.$/);
  });

  it('leaves the rest of the text as it is', () => {
    expect(seen('postgres://app:hunter2@db/app?x=1 and more')).toMatch(
      /^postgres:\/\/\[redacted:[0-9a-f]{12}\]@db\/app\?x=1 and more$/,
    );
    expect(seen('Authorization: Bearer abcdef')).toMatch(/^Authorization: Bearer \[redacted:[0-9a-f]{12}\]$/);
  });

  it.each([
    [
      'prose',
      'Basic understanding of the bearer certificates is needed; a task-oriented approach with desk-research-results.',
    ],
    [
      'identifiers',
      'chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ01 call_abcdefghijklmnopqrstuvwx 018f3c2e-7d1a-7b3c-9f00-1234567890ab',
    ],
    [
      'UUIDs with digits like a card’s',
      'ae824fa4-abd0-4956-8894-94323e3cc5e4 41111111-1111-1111-8111-abcdefabcdef',
    ],
    [
      'names in words that begin like a key',
      'violates pk_orders_customer_id_foreign_key; npm_config_registry_of_it; sk-learn-compatible-estimator',
    ],
    ['telephone and article numbers', '+4930123456789 4000000000006 4222222222222'],
    ['a hash with digits like a card’s', 'd4111111111111111e 4111111111111111abc'],
    ['an e-mail address', 'write to grace@example.com'],
    ['a time in microseconds', '1700000000000000'],
    ['a number that fails the check digit', '4111 1111 1111 1112'],
    ['a plain URL', 'https://example.com/docs?page=2&q=token#part'],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----'],
    ['code', 'const tokens = countTokens(text); maxTokens=5; if (a==b) {}'],
  ])('is not seen in %s', (_, text) => {
    expect(seen({ text })).toEqual({ text });
  });

  it('is what a pattern of the options matches, too', () => {
    expect(seen('order CUST-1234 and sk-abcdefghijklmnopqrst', { redactPatterns: [/CUST-\d+/] })).toMatch(
      /^order \[redacted:\w{12}\] and \[redacted:\w{12}\]$/,
    );
  });

  it('stays when patterns are switched off, and names still count', () => {
    expect(seen({ text: 'Bearer abcdefgh', password: 'p' }, { redactPatterns: false })).toEqual({
      text: 'Bearer abcdefgh',
      password: expect.stringMatching(TOKEN),
    });
  });

  it('leaves a URL a URL', () => {
    const { json, meta } = new Capturer().capture(new URL('https://user:pass@example.com/a'));
    expect(decoded(JSON.parse(json), meta)).toBeInstanceOf(URL);
    expect(json).not.toContain('pass@');
  });

  it.each([
    ['eyJ-', 'eyJ-'],
    ['bearer ', 'bearer '],
    ['://', '://'],
    ['sk-', 'sk-'],
    ['a=', 'a='],
    ['quotes', '"a":"'],
    ['digits', '4111-'],
    ['PEM heads', '-----BEGIN PRIVATE KEY-----'],
  ])('costs time in proportion to the text, also for a megabyte of %s', (_, part) => {
    const text = part.repeat(Math.ceil(900_000 / part.length));
    expect(() => new Capturer({ redact: (value) => value }).capture(text)).not.toThrow();
  });
});

describe('a token', () => {
  it('is the same for the same secret, in every place, value and process', () => {
    const [a, b] = seen([{ password: 'hunter2' }, { secret: 'hunter2' }]) as [
      { password: string },
      { secret: string },
    ];
    expect(a.password).toBe(b.secret);
    expect(a.password).toBe('[redacted:9b70084ea728]');
  });

  it('differs between secrets and between salts', () => {
    const token = (password: string, redactionSalt: string): unknown => seen({ password }, { redactionSalt });
    expect(new Set([token('a', 'x'), token('b', 'x'), token('a', 'y')]).size).toBe(3);
  });
});

describe('a number in JSON inside a string', () => {
  it('is replaced where its name says secret, and the JSON stays one', () => {
    const body = JSON.stringify({ cvv: 123, card: { pin: 4321 }, token: 7, max_tokens: 8 });
    expect(JSON.parse(seen(body) as string)).toEqual({
      cvv: (seen({ cvv: 123 }) as { cvv: string }).cvv,
      card: { pin: expect.stringMatching(TOKEN) },
      token: 7,
      max_tokens: 8,
    });
  });
});

describe('the notes on a redacted value', () => {
  it('do not tell a secret that is part of a name', () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwx1234';
    const shared = { at: new Date(0) };
    const captured = new Capturer().capture({
      [key]: shared,
      again: shared,
      in: { [key]: { password: 'a', text: 'password=hunter2222', when: new Date(0) } },
    });
    expect(captured.json + JSON.stringify(captured.meta)).not.toContain(key);
    expect(captured.meta?.redacted).toEqual(['', '/in']);
    expect(captured.replayable).toBe(false);
  });

  it('do not refer to what was masked', () => {
    const user = { name: 'ann' };
    const { json, meta, replayable } = new Capturer().capture({ credentials: { user }, owner: user });
    expect(decoded(JSON.parse(json), meta)).toMatchObject({ owner: { name: 'ann' } });
    expect(replayable).toBe(false);
  });
});

describe('the redact hook', () => {
  it('may change what it is shown in place', () => {
    const redact = (value: unknown): unknown => {
      if (typeof value === 'object' && value !== null && 'email' in value) value.email = 'x';
      return value;
    };
    const { json, meta } = new Capturer({ redact }).capture([{ email: 'ann@example.com' }, new Date(0)]);
    expect(JSON.parse(json)).toEqual([{ email: 'x' }, '1970-01-01T00:00:00.000Z']);
    expect(meta).toEqual({ redacted: ['/0/email'], types: { '/1': 'Date' } });
    expect(new Capturer({ redact }).capture({ b: new Date(0), 1: 1 }).meta).toEqual({
      types: { '/b': 'Date' },
    });
  });

  it('is told of wherever it changed something, whatever else was redacted', () => {
    const redact = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value === 'ann' ? 'somebody' : value;
      if ('email' in value) value.email = 'x';
      if ('tags' in value && Array.isArray(value.tags)) value.tags.push('seen');
      return value;
    };
    const user = { password: 'hunter2', name: 'ann', email: 'ann@example.com', tags: ['a'], at: new Date(0) };
    const { meta } = new Capturer({ redact }).capture([user, { email: 1 }, { name: 'bob' }]);
    expect(meta?.redacted?.toSorted()).toEqual(['/0/email', '/0/name', '/0/password', '/0/tags', '/1/email']);
    expect(meta?.types).toEqual({ '/0/at': 'Date' });
  });

  it('makes no two values equal that were not', () => {
    const redact = (value: unknown): unknown =>
      typeof value === 'string' && value.includes('@') ? 'somebody' : value;
    const capturer = new Capturer({ redact });
    const recorded = (value: unknown): ValueNode => {
      const { json, meta } = capturer.capture(value);
      return readValue({ json: JSON.parse(json) as JsonValue, meta });
    };
    const mails = (domain: string): unknown =>
      Array.from({ length: 2_000 }, (_, i) => ({ to: `${i}@${domain}` }));
    expect(equal(recorded('a@b.c'), recorded('d@e.f'))).toBe('unknown');
    expect(equal(recorded({ to: ['a@b.c'] }), recorded({ to: ['somebody'] }))).toBe('unknown');
    expect(equal(recorded(mails('a.com')), recorded(mails('b.com')))).toBe('unknown');
    expect(equal(recorded({ to: 'a@b.c', n: 1 }), recorded({ to: 'd@e.f', n: 2 }))).toBe('different');
    expect(capturer.capture(mails('a.com')).meta?.redacted?.length).toBeLessThanOrEqual(1000);
  });

  it('sees every value with its path, and what it answers stands', () => {
    const paths: string[] = [];
    const redact = (value: unknown, path: string): unknown => {
      paths.push(path);
      return path === '/0/user/email' ? 'hidden' : value;
    };
    expect(seen([{ user: { email: 'a@b.c', 'a/b': 1 } }], { redact })).toEqual([
      { user: { email: 'hidden', 'a/b': 1 } },
    ]);
    expect(paths).toEqual(['', '/0', '/0/user', '/0/user/email', '/0/user/a~1b']);
  });

  it('is not shown what the built-in rules replaced', () => {
    const shown: unknown[] = [];
    seen({ password: 'hunter2' }, { redact: (value) => (shown.push(value), value) });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
  });

  it('cannot reach an object of the host', () => {
    const ticket = { user: { email: 'a@b.c' } };
    const redact = (value: unknown): unknown => {
      if (typeof value === 'object' && value !== null) Reflect.deleteProperty(value, 'email');
      return value;
    };
    seen(ticket, { redact });
    expect(ticket).toEqual({ user: { email: 'a@b.c' } });
  });

  it('masks the value when it answers undefined', () => {
    expect(seen({ a: 1 }, { redact: (value) => (value === 1 ? undefined : value) })).toEqual({
      a: '[redacted]',
    });
  });

  it.each<[string, CaptureOptions['redact']]>([
    [
      'throws',
      () => {
        throw new Error('hook');
      },
    ],
    ['answers with a promise', async (value) => value],
    ['answers with a promise that fails', () => Promise.reject(new Error('late'))],
    ['answers with what JSON cannot hold', () => 1n],
  ])('that %s masks the whole field', (_, redact) => {
    expect(new Capturer({ redact: redact! }).capture({ a: 'raw' })).toMatchObject({
      json: '"[redacted]"',
      meta: { redacted: [''] },
      replayable: false,
    });
  });
});
