/** Names that are secret as a whole, without case, `_`, `-` and the like. */
const SECRET_NAMES = new Set([
  ...[
    'pwd',
    'passcode',
    'passphrase',
    'passwordhash',
    'passwordconfirmation',
    'pin',
    'pincode',
    'otp',
    'mfacode',
  ],
  ...['authorization', 'proxyauthorization', 'cookie', 'cookies', 'setcookie', 'jwt', 'bearer', 'xauth'],
  ...[
    'secret',
    'secrets',
    'credential',
    'credentials',
    'connectionstring',
    'databaseurl',
    'dsn',
    'privatekey',
  ],
  ...[
    'apikey',
    'apikeys',
    'apisecret',
    'xapikey',
    'accesskey',
    'accesskeyid',
    'secretaccesskey',
    'sessiontoken',
  ],
  ...[
    'ssn',
    'socialsecuritynumber',
    'creditcard',
    'creditcardnumber',
    'cardnumber',
    'cvc',
    'cvv',
    'cvv2',
    'iban',
  ],
]);

/** Names that end in these are secret: `dbPassword`, `STRIPE_SECRET`, `x-auth-token`. */
const SECRET_ENDINGS = [
  ...[
    'password',
    'passwd',
    'passphrase',
    'secret',
    'secretkey',
    'token',
    'apikey',
    'privatekey',
    'signingkey',
  ],
  ...['encryptionkey', 'accesskey', 'masterkey', 'credentials', 'connectionstring', 'cookie'],
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
  ...['input', 'output', 'prompt', 'completion', 'total', 'injection'],
]);

const LONGEST_NAME = 64;
/** No secret name ends in one of these: most names are told by that alone. */
const HARMLESS_LAST = new Set('abcdefghijklmnopqrstuvwxyz0123456789');
for (const name of [...SECRET_NAMES, ...SECRET_ENDINGS]) HARMLESS_LAST.delete(name.slice(-1));
const NOT_LETTER_OR_DIGIT = /[^a-z0-9]/g;
const CAMEL_HUMP = /([a-z0-9])([A-Z])/g;
const BETWEEN_WORDS = /[^a-z0-9]+/;

/** Whether a property of this name holds a secret, by the built-in names. Counts and positions of tokens do not. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_NAME || HARMLESS_LAST.has(name.slice(-1).toLowerCase())) return false;
  const plain = normalizeName(name);
  if (SECRET_NAMES.has(plain)) return true;
  return SECRET_ENDINGS.some((ending) => plain.endsWith(ending)) && !isHarmlessToken(name);
}

/** A number under this name is one of tokens, and no secret. */
export function countsTokens(name: string): boolean {
  return normalizeName(name).endsWith('token');
}

export function normalizeName(name: string): string {
  return name.toLowerCase().replace(NOT_LETTER_OR_DIGIT, '');
}

function isHarmlessToken(name: string): boolean {
  const words = name.replace(CAMEL_HUMP, '$1 $2').toLowerCase().split(BETWEEN_WORDS);
  return words.at(-1) === 'token' && BEFORE_HARMLESS_TOKEN.has(words.at(-2) ?? '');
}

/** The rule for names: the built-in ones and those of the options; `false` switches both off. */
export function secretNameRule(added: readonly (string | RegExp)[] | false): (name: string) => boolean {
  if (added === false) return () => false;
  const names = new Set(added.filter((name) => typeof name === 'string').map(normalizeName));
  const patterns = added.filter((name) => typeof name !== 'string');
  return (name) =>
    isSecretName(name) ||
    (names.size > 0 && names.has(normalizeName(name))) ||
    patterns.some((pattern) => name.search(pattern) >= 0);
}
