/**
 * How surely a name marks a secret. `strong`: every text of that name is a secret, such as `password`. `weak`: many are not (`token`,
 * `secret`, `session`), so the text must look like a secret too.
 */
export type NameStrength = 'strong' | 'weak';

/** All names are normalized by `normalizeName`, in the singular. */
const STRONG_NAMES = words(
  'pass pwd passcode passphrase passwordhash passwordconfirmation',
  'authorization proxyauthorization xauth cookie setcookie bearer',
  'credential connectionstring databaseurl dsn accesskeyid xapikey apisecret',
  'ssn socialsecuritynumber creditcard creditcardnumber cardnumber iban',
  'requirepass masterauth samlresponse clientkeydata',
);

/** Words for password in languages with Latin letters, normalized by `normalizeName`. */
const LATIN_NAMES = words(
  'wachtwoord losenord adgangskode kodeord passord salasana parola heslo haslo',
  'jelszo lozinka sifre matkhau slaptazodi motdepass palavrapasse',
);
/** Words for password in other scripts and with accented letters. In a text, a sign must follow. */
export const FOREIGN_PASSWORDS = [
  ...words('пароль парола парол κωδικός סיסמה סיסמא'),
  'كلمة المرور',
  'كلمة السر',
  'رمز عبور',
  ...words('密码 密碼 パスワード 暗証番号 비밀번호 암호 รหัสผ่าน पासवर्ड'),
  'mật khẩu',
  ...words('şifre hasło lösenord contraseña jelszó slaptažodis გასაღები'),
];

/** Names with these endings are strong too: `dbPassword`, `x-auth-token`, `MYSQL_PWD`. */
const STRONG_ENDINGS = [
  ...words(
    'password passwd passphrase pwd credential connectionstring cookie',
    'apikey privatekey secretkey signingkey encryptionkey accesskey masterkey',
    'accountkey subscriptionkey servicekey licensekey functionskey',
    'accesstoken refreshtoken authtoken apitoken bearertoken sessiontoken securitytoken',
    'admintoken bottoken clientsecret appsecret signingsecret webhooksecret jwtsecret',
    'secretkeybase hmackey seedphrase mnemonic passwort kennwort motdepasse',
    // `contraseña` has lost its `ñ`.
    'contrasena contrasea senha dbpass userpass smtppass mailpass mysqlpass pgpass',
  ),
  ...LATIN_NAMES,
  ...words('ftppass sshpass redispass mongopass adminpass rootpass authpass becomepass'),
];

const WEAK_NAMES = words(
  'session sessionid sid sessid phpsessid jsessionid connectsid',
  'jwt otp pin pincode mfacode cvc cvv cvv2',
  'auth basicauth httpauth csrf xsrf pw dbpw devicecode codeverifier rediscliauth',
);

const WEAK_ENDINGS = [
  ...words('token secret sessionid sessionkey aeskey fernetkey tlskey sslkey sshkey'),
  'instrumentationkey',
];

/** A provider's name before `key` marks a secret: `OPENAI_KEY`, `stripeKey`. */
const PROVIDERS = words(
  'openai anthropic azure gemini google mistral cohere groq deepseek together',
  'huggingface hf replicate pinecone langsmith langfuse tavily elevenlabs',
  'aws stripe twilio sendgrid slack github datadog sentry dacapo tracer',
);

/** Words before `token` that make it a position in a text or a list instead of a secret. */
const BEFORE_HARMLESS_TOKEN = new Set(
  words(
    'next prev previous page continuation cursor sync start end stop first last',
    'max min per bos eos pad unk sep cls mask special cancel cancellation',
    'input output prompt completion total injection reasoning cached thinking used',
  ),
);

/** The rules for names, exported for the documentation. */
export const SECRET_NAMES = {
  strong: STRONG_NAMES,
  strongEndings: STRONG_ENDINGS,
  weak: WEAK_NAMES,
  weakEndings: [...WEAK_ENDINGS, ...PROVIDERS.map((provider) => `${provider}key`)],
} as const;

/** Every listed name contains one of these, in lower case. */
export const NAME_WORDS = [
  ...words(
    'pass pwd secret token key auth credential cookie bearer session sid sess jwt otp',
    'pin mfacode mfa-code mfa_code cvc cvv csrf xsrf dbpw db_pw device verifier connection',
    'database dsn ssn social card iban saml mnemonic seed kennwort contrase senha',
  ),
  ...LATIN_NAMES,
  'pw:',
  'pw=',
  'pw"',
  "pw'",
  'pw\\',
];

/** Words at the end of a name that do not change its meaning: `DB_PASSWORD_OLD`, `OPENAI_API_KEY_2`. There may be several. */
const QUALIFIERS = new Set(
  words(
    'prod production live dev development devel test testing tests staging stage stg uat qa sandbox demo local ci old new bak backup',
    'primary secondary current previous prev next default main master fallback legacy temp tmp raw plain plaintext encrypted',
    'value b64 base64 us eu admin root readonly ro rw',
  ),
);
/** Words that begin a name and are followed by what the secret opens: `TOKEN_GITHUB`, `PASSWORD_DB`. */
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
  ...words(
    'gitlab bitbucket npm pypi docker db database mysql postgres postgresql pg mongo mongodb redis smtp mail email ftp sftp ssh root',
    'admin user service server api app bot discord telegram jira linear notion heroku vercel netlify cloudflare paypal square shopify',
    'mailgun supabase firebase gcp s3 vault okta auth0 openrouter xai perplexity fireworks prod production staging test dev live',
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

/** How surely the name of a property marks a secret, by the built-in names. Token counts and positions do not. */
export function nameStrength(name: string): NameStrength | undefined {
  if (name.length > LONGEST_NAME || !HAS_WORD.test(name.toLowerCase())) return undefined;
  const strength = rateStrength(normalizeName(name));
  if (strength !== undefined) return strength === 'weak' && isHarmlessToken(name) ? undefined : strength;
  const words = splitWords(name);
  let end = words.length;
  while (end > 1 && isQualifier(words[end - 1] ?? '')) end--;
  // The first word or two mark the secret; the others name what it opens.
  for (const count of [1, 2]) {
    const joined = words.slice(0, count).join('');
    const beginning = Object.hasOwn(BEGINNINGS, joined) ? BEGINNINGS[joined] : undefined;
    const rest = words.slice(count, end);
    if (beginning !== undefined && rest.length > 0 && rest.every((word) => OPENED.has(word)))
      return beginning;
  }
  if (end === words.length || isHarmlessToken(words.slice(0, end).join('_'))) return undefined;
  return rateStrength(words.slice(0, end).join(''));
}

function isQualifier(word: string): boolean {
  return QUALIFIERS.has(word) || /^v?\d{1,4}$/.test(word);
}

function rateStrength(normalized: string): NameStrength | undefined {
  const plain = singular(normalized);
  if (STRONG.has(plain) || STRONG_ENDINGS.some((ending) => plain.endsWith(ending))) return 'strong';
  return WEAK.has(plain) || SECRET_NAMES.weakEndings.some((ending) => plain.endsWith(ending))
    ? 'weak'
    : undefined;
}

/** Whether a number of this name counts tokens, so that it is not a secret. */
export function countsTokens(name: string): boolean {
  return singular(normalizeName(name)).endsWith('token');
}

export function normalizeName(name: string): string {
  return name.toLowerCase().replace(NOT_LETTER_OR_DIGIT, '');
}

function singular(plain: string): string {
  return plain.endsWith('s') && !plain.endsWith('ss') ? plain.slice(0, -1) : plain;
}

function splitWords(name: string): string[] {
  return name.replace(CAMEL_HUMP, '$1 $2').replace(LAST_NUMBER, '$1 $2').toLowerCase().split(BETWEEN_WORDS);
}

function isHarmlessToken(name: string): boolean {
  const words = splitWords(name);
  return /^tokens?$/.test(words.at(-1) ?? '') && BEFORE_HARMLESS_TOKEN.has(words.at(-2) ?? '');
}

/** How surely a name marks a secret: see `nameStrength`. */
export type NameRule = (name: string) => NameStrength | undefined;

/** Combines the built-in names with those of the options, which are strong. `false` switches both off. */
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

/** The words of lines. */
function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}
