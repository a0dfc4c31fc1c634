import { FINDINGS, MARKS } from '../walk/byte-classes.js';
import { SHORTEST_TOKEN } from '@dacapo/protocol';
import { holdsKnownToken } from '../walk/known-tokens.js';

/** Of 512 characters, each of which may be an escape or several bytes. */
const USERINFO = /:\/\/[^\s/?#@"'<>]{1,3072}@/;
const CARD_DIGITS = 13;
const CARD_HEAD = /[2-6]\d{3}[ -]?\d{4}[ -]?\d{2}/;
/** What stands before it may be an escape that ends in a digit. Looking back takes time: heads are looked for first. */
const CARD = new RegExp(`(?:(?<![\\d.])|(?<=\\\\u[\\da-f]{4}))${CARD_HEAD.source}`);

/** What there is to look at: the text of a field, its bytes, and the `MARKS` and `FINDINGS` of its strings. */
export interface Suspect {
  readonly text: string;
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
  { text, bytes, length, marks, digits }: Suspect,
  isSecretName: (name: string) => boolean,
): boolean {
  if ((marks & FINDINGS.token) !== 0) return true;
  if ((marks & MARKS.at) !== 0 && USERINFO.test(text)) return true;
  if ((marks & MARKS.equals) !== 0 && namesSecret(text, '=', isSecretName)) return true;
  if ((marks & MARKS.name) !== 0 && namesSecret(text, '\\"', isSecretName)) return true;
  if ((marks & MARKS.capitalB) !== 0 && /Bearer|Basic|-----BEGIN/.test(text)) return true;
  if (digits >= CARD_DIGITS && CARD_HEAD.test(text) && CARD.test(text)) return true;
  if ((marks & FINDINGS.longWithDigit) !== 0 && text.includes('bearer')) return true;
  return (marks & FINDINGS.unread) !== 0 && holdsKnownToken(bytes, 0, length);
}

/** What no name of a property has that is a word, or words that are joined. */
const SIGN = /[^\w.$-]/;

/** Whether a property's name may itself hold a secret by its patterns. Wrong only in saying yes. */
export function mayNameHideSecret(name: string): boolean {
  if (SIGN.test(name) || CARD_HEAD.test(name)) return true;
  return name.length >= SHORTEST_TOKEN && holdsKnownToken(Buffer.from(name), 0, name.length);
}

/** The longest name, after an escape. */
const LOOKED_BACK = 64 + 6;
const LOOKED_AT = 256;
const NAME_AT_END = /\\?[\w.-]{1,64}$/;
/** Of `\n`, whose letter is no part of a name; or a backslash and a name that begins with the letter. */
const ESCAPE = /^\\(?:[bfnrt]|u[\da-f]{4})/;

/**
 * Whether a secret's name stands in JSON before one of these signs: `=`, or the `\\"` that ends a name in JSON in a string.
 * With more of them than can be looked at the answer is yes.
 */
function namesSecret(text: string, sign: string, isSecretName: (name: string) => boolean): boolean {
  const seen = new Set<string>();
  let at = text.indexOf(sign);
  for (let looks = 0; at >= 0; looks++) {
    if (looks === LOOKED_AT) return true;
    const found = NAME_AT_END.exec(text.slice(Math.max(0, at - LOOKED_BACK), at))?.[0];
    if (found !== undefined && !seen.has(found)) {
      if (namesOf(found).some(isSecretName)) return true;
      seen.add(found);
    }
    at = text.indexOf(sign, at + sign.length);
  }
  return false;
}

function namesOf(found: string): string[] {
  return found.startsWith('\\') ? [found.slice(1), found.replace(ESCAPE, '')] : [found];
}
