import { isCardNumber, marksSecret, namesSecret, SHORTEST_TOKEN } from '@dacapo/protocol';
import { FINDINGS, MARKS } from '../walk/byte-classes.js';
import { holdsKnownToken } from '../walk/known-tokens.js';

/** Of 512 characters, each of which may be an escape or several bytes. */
const USERINFO = /:\/\/[^\s?#"'<>]{1,3072}@/;
const CARD_DIGITS = 13;
const SHORTEST_CARD = 14;
/** Digits of a card and perhaps more: looking at what is before them would take longer than all else here. */
const CARD = /[2-6]\d{3}[ -]?\d{4}[ -]?\d{2}[\d -]{2,11}/g;
const ROWS_LOOKED_AT = 4096;
const SIGNATURE = /[?&;][\w-]{0,40}(?:sig|signature|token)=/i;
/** Where else a colon is in every secret of the kind. */
const AFTER_COLON = /hooks\.slack|webhook\.office|\/webhooks\/|\d:AA|-u[ =]|--user[ =]/;

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
  if ((marks & FINDINGS.token) !== 0) return true;
  if ((marks & MARKS.at) !== 0 && USERINFO.test(text)) return true;
  if ((marks & MARKS.equals) !== 0 && (namesSecret(text, '=', isSecretName) || SIGNATURE.test(text)))
    return true;
  if ((marks & MARKS.colon) !== 0 && (AFTER_COLON.test(text) || namesSecret(text, ':', isSecretName)))
    return true;
  if ((marks & MARKS.joint) !== 0 && text.includes('--') && marksSecret(text, 'flag', isSecretName))
    return true;
  if ((marks & MARKS.less) !== 0 && text.includes('</') && marksSecret(text, 'tag', isSecretName))
    return true;
  if ((marks & MARKS.capitalB) !== 0 && /Bearer|Basic|-----BEGIN/.test(text)) return true;
  if (known.digits >= CARD_DIGITS && mayHoldCard(text)) return true;
  if ((marks & FINDINGS.longWithDigit) !== 0 && text.includes('bearer')) return true;
  return (marks & FINDINGS.unread) !== 0 && holdsKnownToken(known.bytes, 0, known.length);
}

/** Whether digits are a card's by issuer, length and check digit: most long rows of digits are none. */
function mayHoldCard(text: string): boolean {
  CARD.lastIndex = 0;
  let row = CARD.exec(text);
  for (let rows = 0; row !== null; row = CARD.exec(text)) {
    if (++rows > ROWS_LOOKED_AT) return true;
    const digits = row[0].replace(/\D/g, '');
    for (let length = SHORTEST_CARD; length <= digits.length; length++)
      if (isCardNumber(digits.slice(0, length))) return true;
    // One may begin within another row.
    CARD.lastIndex = row.index + 1;
  }
  return false;
}

/** What no name of a property has that is a word, or words that are joined. */
const SIGN = /[^\w.$-]/;

/** Whether a property's name may itself hold a secret by its patterns. Wrong only in saying yes. */
export function mayNameHideSecret(name: string): boolean {
  if (SIGN.test(name) || mayHoldCard(name)) return true;
  return name.length >= SHORTEST_TOKEN && holdsKnownToken(Buffer.from(name), 0, name.length);
}
