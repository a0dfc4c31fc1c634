import { isCardNumber } from './card-number.js';
import { HINTS } from './hint-kinds.js';
import { JWT_HEAD, PROVIDER_KEY, SHORTEST_TOKEN } from './token-heads.js';

/** Makes the token that takes the place of a secret. */
export type Mask = (secret: string) => string;

/** A kind of secret inside a text. Every expression takes time in proportion to the text, whatever the text. */
export interface SecretPattern {
  /** What it finds, for people. */
  readonly finds: string;
  /** A text, with the secret that is found in it in `«»`. */
  readonly example: string;
  readonly expression: RegExp;
  /** One of these is in every text that it matches. */
  readonly needs?: readonly string[];
  /** Which of `HINTS` is near each that it matches. Left out: any may be. `block`: it may match many lines, and is looked for in a text as a whole. */
  readonly hint?: number;
  /** Left out: what it matches is the secret. */
  readonly replace?: (mask: Mask, match: string, groups: readonly (string | undefined)[]) => string;
}

/** The first group stays, the second is the secret, the third stays. */
export const second: NonNullable<SecretPattern['replace']> = (
  mask,
  _,
  [before = '', secret = '', after = ''],
) => `${before}${mask(secret)}${after}`;

const UUID_LENGTH = 36;

/** A name such as `pk_orders_customer_id_fkey` begins like a key; keys have digits or capitals. */
const IN_WORDS = /^[a-z]+(?:[-_.][a-z]{0,15})+$/;

export const BUILT_IN_PATTERNS: readonly SecretPattern[] = [
  {
    finds: 'private keys (PEM)',
    example: '«-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END PRIVATE KEY-----»',
    needs: ['-----BEGIN'],
    hint: HINTS.block,
    expression:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  {
    finds: 'keys of providers, by how they begin',
    hint: HINTS.token,
    example: '«sk-proj-abcdefghijklmnop1234»',
    expression: new RegExp(`\\b(?=[\\w.~$-]{${SHORTEST_TOKEN}})(?:${PROVIDER_KEY})`, 'g'),
    replace: (mask, match) => (IN_WORDS.test(match) ? match : mask(match)),
  },
  {
    finds: 'JSON Web Tokens',
    hint: HINTS.token,
    example: '«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N»',
    needs: ['eyJ'],
    expression: new RegExp(`(?<![\\w-])${JWT_HEAD}[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)*`, 'g'),
  },
  {
    finds: 'addresses of webhooks of Slack, Discord and Teams',
    example: 'https://hooks.slack.com/services/«T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX»',
    needs: ['://'],
    expression:
      /(:\/\/(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)|(?:\w{1,16}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks|[\w-]{1,64}\.webhook\.office\.com\/webhookb2)\/)([\w/@-]{8,256})/g,
    replace: second,
  },
  {
    finds: 'tokens of Telegram',
    example: 'https://api.telegram.org/bot«1234567890:AAFabcdefghijABCDEFGHIJ0123456789ab»/getMe',
    needs: [':AA'],
    expression: /(?<![\w-])(bot|)(\d{8,12}:AA[\w-]{30,64})/g,
    replace: second,
  },
  {
    finds: 'bearer tokens',
    example: 'Bearer «abc.def-123»',
    needs: ['Bearer'],
    expression: /\b(Bearer\s{1,8})([\w.~+/-]{6,}=*)/g,
    replace: second,
  },
  {
    // In lower case the word is part of prose too; a token has a digit.
    finds: 'bearer tokens in lower case',
    example: 'bearer «3f2a9c7be1d04455aa90»',
    needs: ['bearer'],
    expression: /\b(bearer\s{1,8})([a-zA-Z_.~+/-]{0,256}[0-9][\w.~+/-]{5,}=*)/g,
    replace: second,
  },
  {
    finds: 'credentials of HTTP Basic',
    example: 'Basic «dXNlcjpwYXNzd29yZA==»',
    needs: ['Basic'],
    expression: /\b(Basic\s{1,8})([A-Za-z0-9+/]{12,}={0,2})/g,
    replace: (mask, match, groups) =>
      /[0-9=]|[a-z][A-Z]/.test(groups[1] ?? '') ? `${groups[0] ?? ''}${mask(groups[1] ?? '')}` : match,
  },
  {
    // The password may have slashes and at signs; what comes after a port is a path.
    finds: 'users and passwords in URLs',
    example: 'postgres://«app:hunt/er@2»@db.internal/app',
    needs: ['://'],
    expression:
      /(:\/\/)([^\s/?#@:"'<>[\]]{1,256}:(?!\d{1,5}[/?#])(?:[^\s/?#"'<>]|\/(?!\/)){1,512}|[^\s/?#@"'<>]{1,512})(@)/g,
    replace: second,
  },
  {
    finds: 'signatures in queries of URLs (SAS, AWS, Google)',
    example: 'https://store.example.com/a?sv=2024&sig=«aBcD1234%2F»',
    needs: ['='],
    expression: /([?&;](?:[\w-]{0,32}-)?(?:sig|signature|security-token)=)([^\s&;"'<>#]{6,4096})/gi,
    replace: second,
  },
  {
    finds: 'credentials of curl',
    example: 'curl -u «ann:hunter2» https://example.com',
    needs: ['-u', '--user'],
    expression: /(\s(?:-u[ =]{0,8}|--user[ =]{1,8})["']?)([^\s"':]{1,256}:[^\s"']{1,256})/g,
    replace: (mask, match, groups) =>
      /^(?:\d+:\d+$|\[redacted:)/.test(groups[1] ?? '')
        ? match
        : `${groups[0] ?? ''}${mask(groups[1] ?? '')}`,
  },
  {
    finds: 'codes of OAuth in addresses and bodies',
    example: 'https://app.example.com/callback?code=«4%2F0AX4XfWhabc123»&state=x',
    needs: ['code='],
    expression: /((?:^|[?&#\s"'])code=)([\w%./~+-]{16,2048})/g,
    replace: (mask, match, groups) =>
      /^(?=.*\d)(?=.*[a-z])/.test(groups[1] ?? '') ? second(mask, match, groups) : match,
  },
  {
    finds: 'answers to a challenge: Digest, Hawk, OAuth 1, AWS Signature 4',
    example: 'Digest username="ann", uri="/", response="«9f86d081884c7d659a2feaa0c55ad015»"',
    needs: ['response=', 'mac=', 'Signature=', 'oauth_signature='],
    expression: /(\b(?:response|mac|Signature|oauth_signature)=\\{0,8}"?)([\w+/=%-]{24,512})/g,
    replace: second,
  },
  {
    finds: 'passwords of Oracle',
    example: 'jdbc:oracle:thin:ann/«hunter2»@//db:1521/ORCL',
    needs: ['oracle:', 'sqlplus '],
    expression: /(\b(?:jdbc:oracle:\w{1,8}:|sqlplus )[\w.-]{1,128}\/)([^\s@/"']{1,256})(@)/g,
    replace: second,
  },
  {
    finds: 'keys of Laravel',
    example: 'APP_KEY=base64:«kJ8sVn2LqT0xYp4wZr6bHc1mFd9gEa3uXi5oNs7tQyA=»',
    needs: ['base64:'],
    expression: /(\bbase64:)([A-Za-z0-9+/]{43}=)/g,
    replace: second,
  },
  {
    finds: 'private parts of a JSON Web Key in JSON inside a string',
    example: '{"kty":"oct","k":"«AyM1SysPpbyDfgZld3umj1qz»"}',
    needs: ['kty'],
    expression: /((\\{0,15})"(?:d|p|q|dp|dq|qi|k)\2"\s{0,8}:\s{0,8}\2")([\w-]{16,4096})(?=\2")/g,
    replace: (mask, _, [before = '', , secret = '']) => `${before}${mask(secret)}`,
  },
  {
    finds: 'phrases of twelve words and more that open a wallet',
    example: 'seed phrase: «legal winner thank year wave sausage worth useful legal winner thank yellow»',
    needs: ['phrase'],
    expression: /(\bphrase["']?:\s{0,8}["']?)((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])/g,
    replace: second,
  },
  {
    finds: 'lines of `.pgpass`',
    example: 'db.example.com:5432:shop:ann:«hunter2»',
    needs: [':'],
    expression: /(^[\w.*-]*[A-Za-z*][\w.*-]*:\d{2,5}:[\w*-]{1,128}:[\w*-]{1,128}:)([^\s:]{1,256})$/gm,
    replace: second,
  },
  {
    // Of UUIDs, one in some thousand holds digits like a card's: they are passed over as a whole. Hashes have letters around.
    finds: 'numbers of payment cards, by issuer, length and check digit',
    hint: HINTS.number,
    example: 'card «4111 1111 1111 1111»',
    expression:
      /[\da-f]{8}(?:-[\da-f]{4}){4}[\da-f]{8}|(?<![\da-z.+])(?:[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?![\da-z])/gi,
    replace: (mask, match) =>
      match.length < UUID_LENGTH && isCardNumber(match.replace(/\D/g, '')) ? mask(match) : match,
  },
];

/** A pattern of the options: what it matches is the secret. */
export function customPattern(expression: RegExp): SecretPattern {
  const flags = expression.flags.replace('y', '');
  return {
    finds: 'what a pattern of the options matches',
    example: '',
    expression: new RegExp(expression.source, flags.includes('g') ? flags : `${flags}g`),
  };
}
