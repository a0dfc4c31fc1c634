/**
 * How much a name says. `strong`: whatever text has it is a secret, as with `password`. `weak`: many such texts are none
 * (`token`, `secret`, `session`), so the text must look like a secret too.
 */
export type NameStrength = 'strong' | 'weak';

/** All lists hold names as `normalizeName` leaves them, in the singular. */
const STRONG_NAMES = [
  ...['pass', 'pwd', 'passcode', 'passphrase', 'passwordhash', 'passwordconfirmation'],
  ...['authorization', 'proxyauthorization', 'xauth', 'cookie', 'setcookie', 'bearer'],
  ...['credential', 'connectionstring', 'databaseurl', 'dsn', 'accesskeyid', 'xapikey', 'apisecret'],
  ...['ssn', 'socialsecuritynumber', 'creditcard', 'creditcardnumber', 'cardnumber', 'iban'],
  ...['requirepass', 'masterauth', 'samlresponse', 'clientkeydata'],
];

/** Names of a password in languages that are written in Latin letters, as `normalizeName` leaves them. */
const LATIN_NAMES = [
  ...['wachtwoord', 'losenord', 'adgangskode', 'kodeord', 'passord', 'salasana', 'parola', 'heslo', 'haslo'],
  ...['jelszo', 'lozinka', 'sifre', 'matkhau', 'slaptazodi', 'motdepass', 'palavrapasse'],
];
/** The same in other scripts, and with letters that have marks: found before a sign in texts. */
export const FOREIGN_PASSWORDS = [
  ...[
    'пароль',
    'парола',
    'парол',
    'κωδικός',
    'סיסמה',
    'סיסמא',
    'كلمة المرور',
    'كلمة السر',
    'رمز عبور',
    '密码',
    '密碼',
    'パスワード',
    '暗証番号',
  ],
  ...[
    '비밀번호',
    '암호',
    'รหัสผ่าน',
    'पासवर्ड',
    'mật khẩu',
    'şifre',
    'hasło',
    'lösenord',
    'contraseña',
    'jelszó',
    'slaptažodis',
    'გასაღები',
  ],
];

/** Names that end in these are as strong: `dbPassword`, `x-auth-token`, `MYSQL_PWD`. */
const STRONG_ENDINGS = [
  ...['password', 'passwd', 'passphrase', 'pwd', 'credential', 'connectionstring', 'cookie'],
  ...['apikey', 'privatekey', 'secretkey', 'signingkey', 'encryptionkey', 'accesskey', 'masterkey'],
  ...['accountkey', 'subscriptionkey', 'servicekey', 'licensekey', 'functionskey'],
  ...['accesstoken', 'refreshtoken', 'authtoken', 'apitoken', 'bearertoken', 'sessiontoken', 'securitytoken'],
  ...['admintoken', 'bottoken', 'clientsecret', 'appsecret', 'signingsecret', 'webhooksecret', 'jwtsecret'],
  ...['secretkeybase', 'hmackey', 'seedphrase', 'mnemonic', 'passwort', 'kennwort', 'motdepasse'],
  // `contraseña` has lost its `ñ`.
  ...[
    'contrasena',
    'contrasea',
    'senha',
    'dbpass',
    'userpass',
    'smtppass',
    'mailpass',
    'mysqlpass',
    'pgpass',
  ],
  ...LATIN_NAMES,
  ...['ftppass', 'sshpass', 'redispass', 'mongopass', 'adminpass', 'rootpass', 'authpass', 'becomepass'],
];

const WEAK_NAMES = [
  ...['session', 'sessionid', 'sid', 'sessid', 'phpsessid', 'jsessionid', 'connectsid'],
  ...['jwt', 'otp', 'pin', 'pincode', 'mfacode', 'cvc', 'cvv', 'cvv2'],
  ...[
    'auth',
    'basicauth',
    'httpauth',
    'csrf',
    'xsrf',
    'pw',
    'dbpw',
    'devicecode',
    'codeverifier',
    'rediscliauth',
  ],
];

const WEAK_ENDINGS = [
  ...['token', 'secret', 'sessionid', 'sessionkey', 'aeskey', 'fernetkey', 'tlskey', 'sslkey', 'sshkey'],
  ...['instrumentationkey'],
];

/** Providers whose name before `key` tells what the key is: `OPENAI_KEY`, `stripeKey`. */
const PROVIDERS = [
  ...[
    'openai',
    'anthropic',
    'azure',
    'gemini',
    'google',
    'mistral',
    'cohere',
    'groq',
    'deepseek',
    'together',
  ],
  ...['huggingface', 'hf', 'replicate', 'pinecone', 'langsmith', 'langfuse', 'tavily', 'elevenlabs'],
  ...['aws', 'stripe', 'twilio', 'sendgrid', 'slack', 'github', 'datadog', 'sentry', 'dacapo', 'tracer'],
];

/** The word before `token` when that is a place in a text or in a list, and no secret. */
const BEFORE_HARMLESS_TOKEN = new Set([
  ...[
    'next',
    'prev',
    'previous',
    'page',
    'continuation',
    'cursor',
    'sync',
    'start',
    'end',
    'stop',
    'first',
    'last',
  ],
  ...[
    'max',
    'min',
    'per',
    'bos',
    'eos',
    'pad',
    'unk',
    'sep',
    'cls',
    'mask',
    'special',
    'cancel',
    'cancellation',
  ],
  ...[
    'input',
    'output',
    'prompt',
    'completion',
    'total',
    'injection',
    'reasoning',
    'cached',
    'thinking',
    'used',
  ],
]);

/** The rules for names, for who lists them. */
export const SECRET_NAMES = {
  strong: STRONG_NAMES,
  strongEndings: STRONG_ENDINGS,
  weak: WEAK_NAMES,
  weakEndings: [...WEAK_ENDINGS, ...PROVIDERS.map((provider) => `${provider}key`)],
} as const;

/** One of these is in every name of the lists, in lower case. */
export const NAME_WORDS = [
  ...[
    'pass',
    'pwd',
    'secret',
    'token',
    'key',
    'auth',
    'credential',
    'cookie',
    'bearer',
    'session',
    'sid',
    'sess',
    'jwt',
    'otp',
  ],
  ...[
    'pin',
    'mfacode',
    'mfa-code',
    'mfa_code',
    'cvc',
    'cvv',
    'csrf',
    'xsrf',
    'dbpw',
    'db_pw',
    'device',
    'verifier',
    'connection',
  ],
  ...[
    'database',
    'dsn',
    'ssn',
    'social',
    'card',
    'iban',
    'saml',
    'mnemonic',
    'seed',
    'kennwort',
    'contrase',
    'senha',
    ...LATIN_NAMES,
  ],
  ...['pw:', 'pw=', 'pw"', "pw'", 'pw\\'],
];

/** What may be at the end of a name, one after the other, without a change of what it says: `DB_PASSWORD_OLD`, `OPENAI_API_KEY_2`. */
const QUALIFIERS = new Set(
  (
    'prod production live dev development devel test testing tests staging stage stg uat qa sandbox demo local ci old new bak backup ' +
    'primary secondary current previous prev next default main master fallback legacy temp tmp raw plain plaintext encrypted ' +
    'value b64 base64 us eu admin root readonly ro rw'
  ).split(' '),
);
/** What may begin a name whose rest says what it opens: `TOKEN_GITHUB`, `PASSWORD_DB`. */
const BEGINNINGS: Readonly<Record<string, NameStrength>> = {
  token: 'weak',
  secret: 'weak',
  key: 'weak',
  pass: 'strong',
  password: 'strong',
  passwd: 'strong',
  pwd: 'strong',
  apikey: 'strong',
  accesstoken: 'strong',
  authtoken: 'strong',
  secretkey: 'strong',
  accesskey: 'strong',
  privatekey: 'strong',
};
/** What a key, a token or a password opens. */
const OPENED = new Set([
  ...PROVIDERS,
  ...'gitlab bitbucket npm pypi docker db database mysql postgres postgresql pg mongo mongodb redis smtp mail email ftp sftp ssh root'.split(
    ' ',
  ),
  ...'admin user service server api app bot discord telegram jira linear notion heroku vercel netlify cloudflare paypal square shopify'.split(
    ' ',
  ),
  ...'mailgun supabase firebase gcp s3 vault okta auth0 openrouter xai perplexity fireworks prod production staging test dev live'.split(
    ' ',
  ),
]);

const STRONG = new Set(STRONG_NAMES);
const WEAK = new Set(WEAK_NAMES);
const LONGEST_NAME = 64;
const HAS_WORD = new RegExp([...NAME_WORDS.slice(0, -5), 'pw'].join('|'));
const NOT_LETTER_OR_DIGIT = /[^a-z0-9]/g;
const CAMEL_HUMP = /([a-z0-9])([A-Z])/g;
/** `secretKey2`. */
const LAST_NUMBER = /([A-Za-z]{3})(\d{1,2})$/;
const BETWEEN_WORDS = /[^a-z0-9]+/;

/** How much the name of a property says of its value, by the built-in names. Counts and positions of tokens say nothing. */
export function nameStrength(name: string): NameStrength | undefined {
  if (name.length > LONGEST_NAME || !HAS_WORD.test(name.toLowerCase())) return undefined;
  const strength = strengthOf(normalizeName(name));
  if (strength !== undefined) return strength === 'weak' && isHarmlessToken(name) ? undefined : strength;
  const words = wordsOf(name);
  let end = words.length;
  while (end > 1 && isQualifier(words[end - 1] ?? '')) end--;
  // One or two words may say that it is a secret, the others what it opens.
  for (const count of [1, 2]) {
    const joined = words.slice(0, count).join('');
    const beginning = Object.hasOwn(BEGINNINGS, joined) ? BEGINNINGS[joined] : undefined;
    const rest = words.slice(count, end);
    if (beginning !== undefined && rest.length > 0 && rest.every((word) => OPENED.has(word)))
      return beginning;
  }
  if (end === words.length || isHarmlessToken(words.slice(0, end).join('_'))) return undefined;
  return strengthOf(words.slice(0, end).join(''));
}

function isQualifier(word: string): boolean {
  return QUALIFIERS.has(word) || /^v?\d{1,4}$/.test(word);
}

function strengthOf(normalized: string): NameStrength | undefined {
  const plain = singular(normalized);
  if (STRONG.has(plain) || STRONG_ENDINGS.some((ending) => plain.endsWith(ending))) return 'strong';
  return WEAK.has(plain) || SECRET_NAMES.weakEndings.some((ending) => plain.endsWith(ending))
    ? 'weak'
    : undefined;
}

/** A number under this name is one of tokens, and no secret. */
export function countsTokens(name: string): boolean {
  return singular(normalizeName(name)).endsWith('token');
}

export function normalizeName(name: string): string {
  return name.toLowerCase().replace(NOT_LETTER_OR_DIGIT, '');
}

function singular(plain: string): string {
  return plain.endsWith('s') && !plain.endsWith('ss') ? plain.slice(0, -1) : plain;
}

function wordsOf(name: string): string[] {
  return name.replace(CAMEL_HUMP, '$1 $2').replace(LAST_NUMBER, '$1 $2').toLowerCase().split(BETWEEN_WORDS);
}

function isHarmlessToken(name: string): boolean {
  const words = wordsOf(name);
  return /^tokens?$/.test(words.at(-1) ?? '') && BEFORE_HARMLESS_TOKEN.has(words.at(-2) ?? '');
}

/** What a name says: see `nameStrength`. */
export type NameRule = (name: string) => NameStrength | undefined;

/** The rule for names: the built-in ones, and those of the options, which are strong; `false` switches both off. */
export function secretNameRule(added: readonly (string | RegExp)[] | false): NameRule {
  if (added === false) return () => undefined;
  const names = new Set(added.filter((name) => typeof name === 'string').map(normalizeName));
  const patterns = added.filter((name) => typeof name !== 'string');
  return (name) => {
    const isAdded =
      (names.size > 0 && names.has(normalizeName(name))) ||
      patterns.some((pattern) => name.search(pattern) >= 0);
    return isAdded ? 'strong' : nameStrength(name);
  };
}
