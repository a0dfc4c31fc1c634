import {
  nameStrength,
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

describe('a property with a secret name', () => {
  it.each([
    'password',
    'dbPassword',
    'PASSWD',
    'user_password',
    'passphrase',
    'passwords',
    'client_secret',
    'accessTokens',
    'pass',
    'accessToken',
    'refresh_token',
    'x-auth-token',
    'adminToken',
    'apiKey',
    'api_key',
    'X-API-Key',
    'OPENAI_API_KEY',
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'Set-Cookie',
    'privateKey',
    'credentials',
    'aws_secret_access_key',
    'AccessKeyId',
    'ssn',
    'connectionString',
    'session_token',
    'MYSQL_PWD',
    'Ocp-Apim-Subscription-Key',
    'AccountKey',
    'AZURE_STORAGE_ACCOUNT_KEY',
    'x-functions-key',
  ])('%s is replaced by a token', (name) => {
    expect(seen({ [name]: 'some value' })).toEqual({ [name]: expect.stringMatching(TOKEN) });
  });

  it.each([
    'inputTokens',
    'output_tokens',
    'max_tokens',
    'maxTokens',
    'token_count',
    'tokenCount',
    'total_tokens',
    'next_page_token',
    'pageToken',
    'stopToken',
    'eos_token',
    'tokenizer',
    'monkey',
    'keyword',
    'author',
    'secretary',
    'passport',
    'compass',
    'cookieConsent',
    'key',
    'publicKey',
    'idempotencyKey',
  ])('%s is none', (name) => {
    expect(nameStrength(name)).toBeUndefined();
    expect(seen({ [name]: 'some value' })).toEqual({ [name]: 'some value' });
  });

  it.each<[name: string, secret: unknown, no: unknown]>([
    ['token', 'a1b2c3d4', 'hello'],
    ['secret', 'hunter2', 'Santa'],
    ['STRIPE_SECRET', 'whs3cr3t', 'none'],
    ['OPENAI_KEY', 'abc123def456', 'missing'],
    ['stripeKey', 'rk1234567', 'customer'],
    ['jwt', 'abc.def.123456', 'optional'],
    ['session', '31d4d96e407aad42c1', 'morning'],
    ['sessionId', '31d4d96e407aad42c1', 'ticket-42'],
    ['cvv', '123', 'visual'],
    ['pin', 4321, 'on the map'],
    ['otp', '123 456', 'one-time'],
    ['tokens', ['Zm9vYmFyMTIzNDU2Nzg5'], ['Hello', ' world', '2nd']],
    ['tokens', { refresh: 'Zm9vYmFyMTIzNDU2Nzg5' }, { used: 12, kind: 'word' }],
    ['expires', 'tomorrow1', 'tomorrow1'],
  ])('%s is one where the value looks like a secret', (name, secret, no) => {
    const isNamed = name !== 'expires';
    expect(JSON.stringify(seen({ [name]: secret })).includes('[redacted:')).toBe(isNamed);
    expect(seen({ [name]: no })).toEqual({ [name]: no });
  });

  it.each([
    [
      {
        properties: { api_key: { type: 'string' }, password: { $ref: '#/$defs/p' } },
        required: ['api_key', 'password'],
      },
    ],
    [{ parameters: { token: { type: ['string', 'null'], description: 'a1b2c3d4 or so' } } }],
    [{ credentials: {}, cookies: [] }],
    [{ name: 'get_secret', description: 'The token: what to read. Password: see the manual.' }],
  ])('is none in a schema: %j', (schema) => {
    expect(seen(schema)).toEqual(schema);
  });

  it.each<[string, unknown]>([
    [
      'pairs',
      [
        ['accept', 'a/b'],
        ['x-api-key', 'hunter2'],
      ],
    ],
    ['the entries of Headers', { headers: [...new Headers({ 'x-api-key': 'hunter2' })] }],
    ['raw headers', { rawHeaders: ['Host', 'a.b', 'X-Api-Key', 'hunter2'] }],
    ['names beside values', { headers: [{ name: 'X-Api-Key', value: 'hunter2' }] }],
    ['keys beside values', { env: [{ Key: 'DB_PASSWORD', Value: 'hunter2' }] }],
    ['a Map of pairs', new Map([['x-api-key', 'hunter2']])],
    ['headers in turn, under no name', ['Host', 'a.b', 'X-Api-Key', 'hunter2', 'Accept', '*/*']],
    ['a JSON Web Key', { kty: 'oct', kid: 'a', k: 'hunter2hunter2' }],
    ['the data of a Secret', { apiVersion: 'v1', kind: 'Secret', data: { DB: 'hunter2' } }],
    ['a user and a password', { host: 'a.b', auth: 'ann:hunter2' }],
    ['a user and a password in a list', { auth: ['ann', 'hunter2'] }],
    ['the configuration of Docker', { auths: { 'ghcr.io': { auth: 'aHVudGVyMjpodW50ZXIy0hunter2' } } }],
    ['a command that failed', { command: { name: 'auth', args: ['hunter2'] } }],
    ['arguments of curl', { args: ['-u', 'ann:hunter2', 'https://a.b'] }],
    ['arguments of a command', { args: ['-y', 'server', '--api-key', 'hunter2', '--password', '--dry'] }],
  ])('is known in lists, written as %s', (_, value) => {
    const { json, meta } = new Capturer().capture(value);
    expect(json).not.toContain('hunter2');
    expect(meta?.redacted).toHaveLength(1);
  });

  it('is no secret where a list only names it', () => {
    const names = {
      required: ['password', 'email'],
      order: [['password', 'email']].flat(),
      fields: ['host', 'port', 'user name', 'password'],
      auth: ['jwt', 'basic'],
      user: ['-u', '1000:1000'],
      kinds: [{ auth: 'oauth2' }, { auth: 'required' }, { kty: 'RSA', n: 'abc', e: 'AQAB' }],
      tool: { name: 'reset_password', args: { user: 'ann' } },
    };
    expect(seen(names)).toEqual(names);
  });

  it('is replaced with all its content, and lists the places', () => {
    const { json, meta, replayable } = new Capturer().capture({
      credentials: { user: 'a', when: new Date(0) },
      id: 1,
    });
    expect(JSON.parse(json)).toEqual({ credentials: expect.stringMatching(TOKEN), id: 1 });
    expect(meta).toEqual({
      redacted: ['/credentials'],
      types: { '/credentials': { type: 'masked', of: 'other' } },
    });
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

  it('is found in Maps, classes and errors too', () => {
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
    ['a quoted line of .env', 'DB_PASSWORD="hunter2"', 'hunter2'],
    ['a quoted line in single quotes', "export API_KEY='hunter2'", 'hunter2'],
    ['an assignment', 'password = hunter2', 'hunter2'],
    ['an assignment in code', 'const password = "hunter2";', 'hunter2'],
    ['YAML', 'db:\n  user: ann\n  password: hunter2\n', 'hunter2'],
    ['YAML of one word', 'password: hunter', 'hunter'],
    ['a header', 'GET / HTTP/1.1\r\nx-api-key: hunter2\r\naccept: a', 'hunter2'],
    ['a header without a space', "curl -H 'x-api-key:hunter2' b", 'hunter2'],
    ['a header of another scheme', 'Authorization: Token hunter2abc', 'hunter2abc'],
    ['cookies', 'Cookie: theme=dark; sid=hunter2', 'hunter2'],
    ['a cookie that is set', 'Set-Cookie: sid=hunter2; HttpOnly', 'hunter2'],
    ['curl', 'curl -u ann:hunter2 https://a.b', 'hunter2'],
    ['curl, in the long form', 'curl --user "ann:hunter2" https://a.b', 'hunter2'],
    ['a shared access signature', 'https://a.b/c?sv=2024-01-01&sig=aBcDeF%2Bg%3D', 'aBcDeF'],
    ['a signed URL', 'https://a.b/c?X-Amz-Date=1&X-Amz-Signature=abcdef012345', 'abcdef012345'],
    ['a password with a slash', 'postgres://app:hun/ter2@db.internal/app', 'ter2'],
    ['a password with an at sign', 'postgres://app:hun@ter2@db.internal/app', 'ter2'],
    ['an account key', 'DefaultEndpointsProtocol=https;AccountKey=abcd+efgh/1234==;', 'efgh'],
    ['JSON twice inside', JSON.stringify({ body: JSON.stringify({ password: 'hunter2', a: 1 }) }), 'hunter2'],
    [
      'JSON three times inside',
      JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ password: 'hunt"er2' }) }) }),
      'er2',
    ],
    ['the value of another name', 'url=https://a.b/c?password=hunter2', 'hunter2'],
    ['a Python dict', "{'password': 'hunter2', 'a': 1}", 'hunter2'],
    ['a key of ours', 'use dcp_abcdefghijABCDEFGHIJ0123456789abcd', 'ABCDEFGHIJ'],
    ['a key of LangSmith', 'lsv2_pt_0123456789abcdef0123456789abcdef_0123456789', '0123456789abcdef'],
    ['a token of a Slack application', 'xapp-1-A0123456789-1234567890123-abcdef0123456789', 'A0123456789'],
    ['a token of Shopify', 'shpat_0123456789abcdef0123456789abcdef', '0123456789abcdef'],
    ['a token of Vault', 'hvs.CAESIJ0123456789abcdefghijkl', 'CAESIJ'],
    ['a token of PyPI', 'pypi-AgEIcHlwaS5vcmcCJDAxMjM0NTY3', 'AgEIcHlwaS5vcmc'],
    [
      'a webhook of Slack',
      'https://hooks.slack.com/services/T0ABCDEF/B0ABCDEF/abcdefABCDEF01234567',
      'abcdefABCDEF',
    ],
    [
      'a webhook of Discord',
      'https://discord.com/api/webhooks/123456789012345678/abcdef-ABCDEF_0123',
      'abcdef-ABC',
    ],
    ['a password in prose', 'The password: hunter2 works.', 'hunter2'],
    ['an option of a command', 'mysql --user root --password hunter2 shop', 'hunter2'],
    ['an option of a command, in quotes', "tool --api-key 'hunter2' run", 'hunter2'],
    ['an element of XML', '<server><password>hunter2</password></server>', 'hunter2'],
    ['an element with a namespace', '<wsse:Password Type="text">hunter2</wsse:Password>', 'hunter2'],
    ['a field of a form', 'user[name]=ann&user[password]=hunter2&a=1', 'hunter2'],
    ['a member that code sets', 'config["password"] = "hunter2"', 'hunter2'],
    [
      'a bot of Telegram',
      'https://api.telegram.org/bot1234567890:AAF_abcdefghijABCDEFGHIJ0123456789abc/getMe',
      'AAF_abc',
    ],
    ['a password in SQL', "ALTER USER 'a'@'b' IDENTIFIED WITH mysql_native_password BY 'hunter2'", 'hunter2'],
    ['a password of a role', "CREATE ROLE ann LOGIN ENCRYPTED PASSWORD 'hunter2'", 'hunter2'],
    ['an entry of .netrc', 'machine a.b\n  login ann\n  password hunter2\n', 'hunter2'],
    ['a command of Redis', 'AUTH hunter2', 'hunter2'],
    ['a line of FTP', 'USER ann\r\nPASS hunter2\r\n', 'hunter2'],
    ['a password in a sentence', 'My password is hunter2, please reset it.', 'hunter2'],
    ['a key in a sentence', 'the API key is `hunter2abc`', 'hunter2abc'],
    ['a PIN in a sentence', 'my PIN is 4821.', '4821'],
    ['a short option of mysql', 'mysql -uroot -phunter2 shop', 'hunter2'],
    ['a short option of redis-cli', 'redis-cli -h redis -a hunter2 ping', 'hunter2'],
    ['a short option of docker', 'docker login -u ann -p hunter2 a.b', 'hunter2'],
    ['a hash of a password', 'ann:$apr1$zQ9h$abcdefghijklmnopqrstuv', 'abcdefghijklmnopqrstuv'],
    ['a secret of Azure', 'abc8Q~abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghijklmnop'],
    ['a key of Mailgun', 'key-9f86d081884c7d659a2feaa0c55ad015', '9f86d081884c'],
    ['a newer key of Mailgun', '9f86d081884c7d659a2feaa0c55ad015-1234abcd-5678ef90', '9f86d081884c'],
    ['a key of Twilio', 'SK9f86d081884c7d659a2feaa0c55ad015', '9f86d081884c'],
    [
      'an answer of Digest',
      'Digest username="ann", response="9f86d081884c7d659a2feaa0c55ad015"',
      '9f86d081884c',
    ],
    ['a code of OAuth', 'https://a.b/cb?code=4%2F0AX4XfWhabc123&state=x', '0AX4XfWhabc123'],
    ['a password of Oracle', 'jdbc:oracle:thin:ann/hunter2@//db:1521/ORCL', 'hunter2'],
    ['a line of .pgpass', 'db.example.com:5432:shop:ann:hunter2', 'hunter2'],
    ['a pair in an address', 'to=https%3A%2F%2Fa.b%2Fcb%3Fpassword%3Dhunter2%26x%3D1', 'hunter2'],
    ['JSON in an address', encodeURIComponent(JSON.stringify({ user: 'a', password: 'hunter2' })), 'hunter2'],
    ['YAML on the next line', 'db:\n  password:\n    hunter2\n', 'hunter2'],
    ['a block of YAML', 'stringData:\n  api_key: >-\n    hunter2\n', 'hunter2'],
    ['a name and a value of YAML', 'env:\n  - name: DB_PASSWORD\n    value: hunter2\n', 'hunter2'],
    ['a variable of a Dockerfile', 'FROM a\nENV API_KEY hunter2', 'hunter2'],
    [
      'a field of a form in parts',
      '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--b--',
      'hunter2',
    ],
    ['an attribute of HTML', '<input type="password" name="password" value="hunter2">', 'hunter2'],
    ['a property list', '<key>password</key><string>hunter2</string>', 'hunter2'],
    ['emphasis in Markdown', '**Password:** hunter2', 'hunter2'],
    ['a private part of a key', '{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qz"}', 'AyM1SysPpbyDfgZld3umj1qz'],
    [
      'a private key in base64',
      `TLS=${Buffer.from('-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n').toString('base64')}`,
      'TUlJRXBBSUJBQUtDQVFFQ',
    ],
    ['a private key of PGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n', 'lQOYBF'],
    [
      'a wallet',
      'seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow',
      'wave sausage',
    ],
    [
      'a webhook of Teams',
      'https://a.webhook.office.com/webhookb2/0123abcd-ef@4567/IncomingWebhook/89ab',
      '0123abcd',
    ],
  ])('is found too: %s', (_, text, secret) => {
    const around = `${'word '.repeat(2000)}\n${text}`;
    for (const value of [
      text,
      { text },
      [around],
      new Error(text),
      new Map([[1, text]]),
      Buffer.from(text),
    ]) {
      const { json, meta } = new Capturer().capture(value);
      const shown = Buffer.isBuffer(value)
        ? Buffer.from(JSON.parse(json) as string, 'base64').toString()
        : json;
      expect(shown).not.toContain(secret);
      expect(json).toMatch(/\[redacted:[0-9a-f]{12}\]/);
      expect(meta?.redacted).toHaveLength(1);
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
    [
      'code that reads a secret',
      'password = request.body.password; key = getPassword(); login({ password: pw.value })',
    ],
    ['types', 'interface Login { password: string; token: string | null }'],
    [
      'prose about secrets',
      'Password: please choose a long one. The secret: be kind. Token: a piece of text.',
    ],
    [
      'paths with at signs',
      'https://unpkg.com/@scope/pkg@1.0.0/a http://localhost:3000/@vite/client mail@example.com',
    ],
    ['options of programs', 'docker run -u 1000:1000 image; ls -u a:b'.replace(' -u a:b', '')],
    ['the working directory', 'PWD=/home/ann/project'],
    ['placeholders', 'password=**** api_key: null apiKey="…"'],
    [
      'prose about passwords with digits',
      'I forgot my password 3 times; the password is case-sensitive, the key is 128k, my PIN is 4 digits, v2 is out.',
    ],
    ['SQL that reads', "SELECT password FROM users WHERE name = 'a1' AND password IS NOT NULL LIMIT 10"],
    ['replacements and prices', '$1$2$3$4$5$6$7$8$9$10, $25.50 and $1,000'],
    ['exit codes and errors', 'exit code=1 code=ERR_HTTP2_INVALID_HEADER_VALUE status: 404 10:30:45.123'],
    ['encoded addresses', 'https%3A%2F%2Fexample.com%2Fdocs%3Fpage%3D2%26sort%3Dname'],
    [
      'forms and tables',
      '<input name="password" value="password"><td>Password</td><td>required</td> value=3',
    ],
    ['keys of YAML', 'password:\n  type: string\n  minLength: 8\nname: a\nvalue: 1'],
    ['times and ratios', 'at 12:30, a 4:3 screen, https://a.b/c:8080, note: token count: 12'],
  ])('is not seen in %s', (_, text) => {
    expect(seen({ text })).toEqual({ text });
  });

  it('matches the patterns of the options too', () => {
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

  it('differs between secrets and between keys of the hash', () => {
    const token = (password: string, redactionSecret: string): unknown =>
      seen({ password }, { redactionSecret });
    expect(new Set([token('a', 'x'), token('b', 'x'), token('a', 'y')]).size).toBe(3);
  });
});

describe('a number in JSON inside a string', () => {
  it('is replaced under a secret name, and the JSON stays valid', () => {
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
  it('do not reveal a secret that is part of a name', () => {
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

  it('do not refer to masked values', () => {
    const user = { name: 'ann' };
    const { json, meta, replayable } = new Capturer().capture({ credentials: { user }, owner: user });
    expect(decoded(JSON.parse(json), meta)).toMatchObject({ owner: { name: 'ann' } });
    expect(replayable).toBe(false);
  });
});

describe('the redact hook', () => {
  it('can change its argument in place', () => {
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

  it('is listed wherever it changed something, whatever else was redacted', () => {
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

  it('receives every value with its path, and its result is recorded', () => {
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

  it('does not receive what the built-in rules replaced', () => {
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

  it('masks the value when it returns undefined', () => {
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
