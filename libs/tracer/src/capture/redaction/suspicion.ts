import { FINDINGS, MARKS } from '../walk/byte-classes.js';
import { holdsKnownToken, SHORTEST_TOKEN } from '../walk/known-tokens.js';
import { namesSecret } from './named-values.js';

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
