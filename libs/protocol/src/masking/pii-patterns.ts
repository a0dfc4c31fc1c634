import { isLuhnValid } from './card-number.js';
import type { SecretPattern } from './patterns.js';

/** Kinds of personal data that can be recognised by their form. */
export const PII_KINDS = ['email', 'phone', 'card', 'iban', 'ssn', 'ip'] as const;

export type PiiKind = (typeof PII_KINDS)[number];

/** Bounded at each repetition, so that each takes time in proportion to the text. */
const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}\p{L}{2,24}/gu;
/** With a country's code; with an area code in brackets or after a zero; three, three and four digits. */
const PHONE =
  /(?<![\w+.,/-])(?:\+\d{1,3}(?:[ .-]?\(\d{1,4}\))?(?:[ ./-]?\d){6,12}|\(0?\d{2,5}\)[ ]?\d{3,4}(?:[ -]?\d{2,5}){1,2}|0\d{1,4}[ /-]\d{3,4}(?:[ -]?\d{2,5}){1,2}|\d{3}[ .-]\d{3}[.-]\d{4})(?![\w-]|\.\d)/g;
const CARD = /(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)/g;
const IBAN = /(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w-])/g;
/** Excludes areas, groups and serials that are never issued. */
const SSN = /(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g;
const IP =
  /(?<![\w.:-])(?:(?:\d{1,3}\.){3}\d{1,3}(?![\w.-]?\d)|(?:[\da-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{0,4}))(?![\w:])/gi;

const PATTERNS: Readonly<Record<PiiKind, SecretPattern>> = {
  email: { finds: 'e-mail addresses', example: '«ann@example.com»', expression: EMAIL },
  phone: {
    finds: 'telephone numbers',
    example: '«+49 30 1234567»',
    expression: PHONE,
    replace: where(isPhone),
  },
  card: {
    finds: 'card numbers of any issuer, by check digit',
    example: '«5019 7170 1010 3742»',
    expression: CARD,
    replace: where((text) => isLuhnValid(text.replace(/\D/g, ''))),
  },
  iban: {
    finds: 'IBANs, by check digits',
    example: '«DE89 3704 0044 0532 0130 00»',
    expression: IBAN,
    replace: where(isIban),
  },
  ssn: { finds: 'social security numbers of the United States', example: '«536-90-4399»', expression: SSN },
  ip: { finds: 'addresses of IPv4 and IPv6', example: '«203.0.113.7»', expression: IP, replace: where(isIp) },
};

/** The patterns of these kinds. The whole match is masked. */
export function piiPatterns(kinds: readonly PiiKind[]): readonly SecretPattern[] {
  return PII_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => PATTERNS[kind]);
}

function where(isPersonal: (text: string) => boolean): NonNullable<SecretPattern['replace']> {
  return (mask, match) => (isPersonal(match) ? mask(match) : match);
}

function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 15;
}

/** ISO 13616: letters count from 10, the first four characters come last, and the whole leaves 1 after a division by 97. */
function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '');
  if (plain.length < 15 || plain.length > 34) return false;
  let rest = 0;
  for (const char of plain.slice(4) + plain.slice(0, 4))
    for (const digit of String(parseInt(char, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

function isIp(text: string): boolean {
  const groups = text.split(':');
  const dotted = groups.at(-1) ?? '';
  if (dotted.includes('.') && !dotted.split('.').every((part) => Number(part) <= 255 && !/^0\d/.test(part)))
    return false;
  if (groups.length === 1) return true;
  const count = groups.length + (dotted.includes('.') ? 1 : 0);
  // `::` replaces omitted groups, once.
  const isShort =
    text.includes('::') && text.indexOf('::') === text.lastIndexOf('::') && /[\da-f]/i.test(text);
  return isShort ? count <= 9 : count === 8 && groups.every((group) => group !== '');
}
