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

const STRONG = new Set(STRONG_NAMES);
const WEAK = new Set(WEAK_NAMES);
const LONGEST_NAME = 64;
/** No secret name ends in one of these: most names are told by that alone. */
const HARMLESS_LAST = new Set('abcdefghijklmnopqrstuvwxyz0123456789');
for (const name of Object.values(SECRET_NAMES).flat()) HARMLESS_LAST.delete(name.slice(-1));
HARMLESS_LAST.delete('s');
const NOT_LETTER_OR_DIGIT = /[^a-z0-9]/g;
const CAMEL_HUMP = /([a-z0-9])([A-Z])/g;
const BETWEEN_WORDS = /[^a-z0-9]+/;

/** How much the name of a property says of its value, by the built-in names. Counts and positions of tokens say nothing. */
export function nameStrength(name: string): NameStrength | undefined {
  if (name.length > LONGEST_NAME || HARMLESS_LAST.has(name.slice(-1).toLowerCase())) return undefined;
  const plain = singular(normalizeName(name));
  if (STRONG.has(plain) || STRONG_ENDINGS.some((ending) => plain.endsWith(ending))) return 'strong';
  if (WEAK.has(plain) || SECRET_NAMES.weakEndings.some((ending) => plain.endsWith(ending)))
    return isHarmlessToken(name) ? undefined : 'weak';
  return undefined;
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

function isHarmlessToken(name: string): boolean {
  const words = name.replace(CAMEL_HUMP, '$1 $2').toLowerCase().split(BETWEEN_WORDS);
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
