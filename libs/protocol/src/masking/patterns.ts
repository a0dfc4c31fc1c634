import { isCardNumber } from './card-number.js';
import { countsTokens } from './secret-names.js';
import { JWT_HEAD, PROVIDER_KEYS, SHORTEST_TOKEN } from './token-heads.js';

/** Makes the token that stands in place of a secret. */
export type Mask = (secret: string) => string;

/** A kind of secret inside a text. Every expression takes time in proportion to the text, whatever the text. */
export interface SecretPattern {
  readonly expression: RegExp;
  readonly replace: (mask: Mask, match: string, groups: readonly string[]) => string;
}

const whole: SecretPattern['replace'] = (mask, match) => mask(match);
/** The first group stays, the second is the secret, the third stays. */
const second: SecretPattern['replace'] = (mask, _, [before = '', secret = '', after = '']) =>
  `${before}${mask(secret)}${after}`;

const UUID_LENGTH = 36;

const PRIVATE_KEY: SecretPattern = {
  expression:
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
  replace: whole,
};

const PROVIDER_KEY: SecretPattern = {
  expression: new RegExp(
    `\\b(?=[\\w.-]{${SHORTEST_TOKEN}})(?:${PROVIDER_KEYS.map(({ heads, rest }) => `(?:${heads.join('|')})${rest}`).join('|')})`,
    'g',
  ),
  replace: (mask, match) => (IN_WORDS.test(match) ? match : mask(match)),
};

/** A name such as `pk_orders_customer_id_fkey` begins like a key; keys have digits or capitals. */
const IN_WORDS = /^[a-z]+(?:[-_.][a-z]{0,15})+$/;

const JSON_WEB_TOKEN: SecretPattern = {
  expression: new RegExp(`(?<![\\w-])${JWT_HEAD}[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)*`, 'g'),
  replace: whole,
};

const BEARER: SecretPattern = {
  expression: /\b(Bearer\s{1,8})([\w.~+/-]{6,}=*)/g,
  replace: second,
};

/** In lower case the word stands in prose too; a token has a digit. */
const LOWERCASE_BEARER: SecretPattern = {
  expression: /\b(bearer\s{1,8})([a-zA-Z_.~+/-]{0,256}[0-9][\w.~+/-]{5,}=*)/g,
  replace: second,
};

const BASIC: SecretPattern = {
  expression: /\b(Basic\s{1,8})([A-Za-z0-9+/]{12,}={0,2})/g,
  replace: (mask, match, groups) =>
    /[0-9=]|[a-z][A-Z]/.test(groups[1] ?? '') ? second(mask, match, groups) : match,
};

const URL_USERINFO: SecretPattern = {
  expression: /(:\/\/)([^\s/?#@"'<>]{1,512})(@)/g,
  replace: second,
};

/** Of UUIDs, one in some thousand holds digits like a card's: they are passed over as a whole. Hashes have letters around. */
const CARD: SecretPattern = {
  expression:
    /[\da-f]{8}(?:-[\da-f]{4}){4}[\da-f]{8}|(?<![\da-z.+])(?:[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?![\da-z])/gi,
  replace: (mask, match) =>
    match.length < UUID_LENGTH && isCardNumber(match.replace(/\D/g, '')) ? mask(match) : match,
};

export const BUILT_IN_PATTERNS: readonly SecretPattern[] = [
  PRIVATE_KEY,
  PROVIDER_KEY,
  JSON_WEB_TOKEN,
  BEARER,
  LOWERCASE_BEARER,
  BASIC,
  URL_USERINFO,
  CARD,
];

/** `name=value` in queries, connection strings and `.env` lines, and `"name":"value"` or a number in JSON inside a string. */
export function namedSecretPatterns(isSecretName: (name: string) => boolean): readonly SecretPattern[] {
  const ofName: SecretPattern['replace'] = (mask, match, groups) => {
    const [before = '', value = '', after = '', name = ''] = groups;
    return isSecretName(name) && !value.startsWith('[redacted:') ? `${before}${mask(value)}${after}` : match;
  };
  return [
    {
      expression: /(?<![\w.-])([\w.-]{1,64}=)([^\s&;"',<>]{1,4096})()/g,
      replace: (mask, match, groups) =>
        ofName(mask, match, [...groups.slice(0, 3), (groups[0] ?? '').slice(0, -1)]),
    },
    {
      expression: /("([\w.-]{1,64})"\s{0,8}:\s{0,8}")((?:[^"\\]|\\.){1,4096})(")/g,
      replace: (mask, match, [before = '', name = '', value = '', after = '']) =>
        ofName(mask, match, [before, value, after, name]),
    },
    {
      expression: /("([\w.-]{1,64})"\s{0,8}:\s{0,8})(\d[\d.]{0,63})/g,
      replace: (mask, match, [before = '', name = '', value = '']) =>
        countsTokens(name) ? match : ofName(mask, match, [`${before}"`, value, '"', name]),
    },
  ];
}

/** A pattern of the options: what it matches is the secret. */
export function customPattern(expression: RegExp): SecretPattern {
  const flags = expression.flags.replace('y', '');
  return {
    expression: new RegExp(expression.source, flags.includes('g') ? flags : `${flags}g`),
    replace: whole,
  };
}
