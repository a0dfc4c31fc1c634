import {
  isCardNumber,
  marksSecret,
  mayForeignNameHide,
  mayPhraseHide,
  namesSecret,
  SHORTEST_TOKEN,
} from '@dacapo/protocol';
import { FINDINGS, MARKS } from '../walk/byte-classes.js';
import { holdsKnownToken } from '../walk/known-tokens.js';

/** Of 512 characters, each of which may be an escape or several bytes. */
const USERINFO = /:\/\/[^\s?#"'<>]{1,3072}@|oracle:|sqlplus /;
/** Attributes with a value beside their name, and elements that hold a name and come before that of its value. */
const ATTRIBUTES = /(?:value|content)=/;
const LISTS = /<\/(?:key|t[dh]|dt|name)>/;
const CARD_DIGITS = 13;
const SHORTEST_CARD = 14;
/** Digits of a card and perhaps more: looking at what is before them would take longer than all else here. */
const CARD = /[2-6]\d{3}[ -]?\d{4}[ -]?\d{2}[\d -]{2,11}/g;
/** Before a part of a longer number. */
const IN_NUMBER = /[\d.+]/;
const ROWS_LOOKED_AT = 4096;
const SIGNATURE = /[?&;][\w-]{0,40}(?:sig|signature|token)=/i;
/** Where else an equals sign, and where else a colon, is in every secret of the kind. */
const AFTER_EQUALS = ['form-data', 'code=', 'response=', 'mac=', 'ignature='];
const AFTER_COLON = ['ks.slack', 'webhook', ':AA', '--user', 'kty', 'base64:', 'phrase'];
const CURL_USER = /-u(?<=(?:[\s"]|\\[bfnrt])-u)/;
const YAML_VALUE = /\\n[ \\t]{1,64}value:/;
const PGPASS = /:\d{2,5}:[\w*-]{1,128}:[\w*-]{1,128}:/;
/** In an address, `:` and `=`. */
const ENCODED_SIGN = /%(?:25)?3[ad]/i;

/** What is known of a text: its bytes, and the `MARKS` and `FINDINGS` of its strings. */
export interface Suspect {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly marks: number;
  /** How many digits its strings hold, at most. */
  readonly digits: number;
}

/**
 * Whether a text may hold a secret by its patterns. Wrong only in saying yes; costs a fraction of writing the text.
 */
export function maySecretsHide(
  text: string,
  known: Suspect,
  isSecretName: (name: string) => boolean,
): boolean {
  const { marks } = known;
  if (mayForeignNameHide(text)) return true;
  if ((marks & FINDINGS.token) !== 0) return true;
  if ((marks & MARKS.at) !== 0 && USERINFO.test(text)) return true;
  if (
    (marks & MARKS.equals) !== 0 &&
    (SIGNATURE.test(text) ||
      AFTER_EQUALS.some((part) => text.includes(part)) ||
      namesSecret(text, '=', isSecretName))
  )
    return true;
  if ((marks & MARKS.colon) !== 0 && (mayColonsHide(text) || namesSecret(text, ':', isSecretName)))
    return true;
  if ((marks & MARKS.joint) !== 0 && text.includes('--') && marksSecret(text, 'flag', isSecretName))
    return true;
  if ((marks & MARKS.less) !== 0 && mayElementsHide(text, isSecretName)) return true;
  if ((marks & MARKS.capitalB) !== 0 && /Bearer|Basic|-----BEGIN/.test(text)) return true;
  if (known.digits >= CARD_DIGITS && mayHoldCard(text)) return true;
  if ((marks & FINDINGS.longWithDigit) !== 0 && mayDigitsHide(text)) return true;
  return (marks & FINDINGS.unread) !== 0 && holdsKnownToken(known.bytes, 0, known.length);
}

function mayColonsHide(text: string): boolean {
  return (
    AFTER_COLON.some((part) => text.includes(part)) ||
    (text.includes('-u') && CURL_USER.test(text)) ||
    PGPASS.test(text) ||
    (text.includes('value:') && YAML_VALUE.test(text))
  );
}

/** Where a digit is in every secret of the kind. */
function mayDigitsHide(text: string): boolean {
  return (
    text.includes('bearer') ||
    text.includes('ENV ') ||
    (text.includes('%') && ENCODED_SIGN.test(text)) ||
    mayPhraseHide(text)
  );
}

function mayElementsHide(text: string, isSecretName: (name: string) => boolean): boolean {
  if (ATTRIBUTES.test(text)) return true;
  return text.includes('</') && (LISTS.test(text) || marksSecret(text, 'tag', isSecretName));
}

/** Whether digits are a card's by issuer, length and check digit: most long rows of digits are none. */
function mayHoldCard(text: string): boolean {
  CARD.lastIndex = 0;
  let row = CARD.exec(text);
  for (let rows = 0; row !== null; row = CARD.exec(text)) {
    if (++rows > ROWS_LOOKED_AT) return true;
    const isPart = IN_NUMBER.test(text.charAt(row.index - 1));
    const digits = isPart ? '' : row[0].replace(/\D/g, '');
    for (let length = SHORTEST_CARD; length <= digits.length; length++)
      if (isCardNumber(digits.slice(0, length))) return true;
    // One may begin within another row.
    CARD.lastIndex = row.index + 1;
  }
  return false;
}

/** What no name of a property has that is a word, or words that are joined. */
const SIGN = /[^\w.-]/;

/** Whether a property's name may itself hold a secret by its patterns. Wrong only in saying yes. */
export function mayNameHideSecret(name: string): boolean {
  if (SIGN.test(name) || mayHoldCard(name) || mayPhraseHide(name)) return true;
  return name.length >= SHORTEST_TOKEN && holdsKnownToken(Buffer.from(name), 0, name.length);
}
