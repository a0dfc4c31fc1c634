const QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKTICK = 0x60;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const BRACKET = 0x5d;
const LONGEST_NAME = 64;
/** Between a name and its sign: a quote, a bracket, spaces, backslashes of JSON inside JSON. */
const LONGEST_GAP = 32;
/** Of `\n`, whose letter is no part of a name; or a backslash and a name that begins with the letter. */
const ESCAPE = /^(?:[bfnrt]|u[\da-f]{4})/;

const IN_NAME = new Uint8Array(128);
for (let code = 0; code < 128; code++) if (/[\w.-]/.test(String.fromCharCode(code))) IN_NAME[code] = 1;

/** Signs that are looked at in JSON; with more of them the answer is yes. */
const LOOKED_AT = 256 * 1024;

/**
 * Whether a secret's name is in JSON before a `sign`, inside a string: names of properties were judged already. Much quicker
 * than to look for the secret; wrong only in saying yes.
 */
export function namesSecret(json: string, sign: '=' | ':', isSecretName: (name: string) => boolean): boolean {
  const seen = new Set<string>();
  const isNew = (name: string): boolean => {
    if (seen.has(name)) return false;
    seen.add(name);
    return isSecretName(name);
  };
  let looks = 0;
  for (let at = json.indexOf(sign); at >= 0; at = json.indexOf(sign, at + 1)) {
    if (json.charCodeAt(at - 1) === QUOTE && json.charCodeAt(at - 2) !== BACKSLASH) continue;
    if (++looks > LOOKED_AT || secretNameBefore(json, at, isNew) >= 0 || isLabelBefore(json, at, isNew))
      return true;
  }
  return false;
}

const LABEL = /[A-Za-z]{2,16} (?:[A-Za-z]{2,16} )?[A-Za-z]{3,16}["'`*_]{0,3} {0,2}$/;

/** Whether the words before a sign are a secret's name as a whole: `API key:`. */
function isLabelBefore(text: string, sign: number, isSecretName: (name: string) => boolean): boolean {
  const code = text.charCodeAt(sign - 1);
  if (code === QUOTE || code === BACKSLASH) return false;
  const words = LABEL.exec(text.slice(Math.max(0, sign - 64), sign))?.[0].match(/[A-Za-z]+/g) ?? [];
  return words.some((_, i) => i < words.length - 1 && isSecretName(words.slice(i).join('_')));
}

const FLAG = /--([\w-]{1,64})/g;
const TAG = /<([\w.:-]{1,64})/g;

/** Whether an option of a command (`--password …`) or an element of XML has a secret's name. Wrong only in saying yes. */
export function marksSecret(
  text: string,
  kind: 'flag' | 'tag',
  isSecretName: (name: string) => boolean,
): boolean {
  let looks = 0;
  for (const [, name = ''] of text.matchAll(kind === 'flag' ? FLAG : TAG))
    if (++looks > LOOKED_AT || isSecretName(name)) return true;
  return false;
}

/** Where the secret's name before a sign begins, or -1. A backslash before it may be that of an escape. */
export function secretNameBefore(
  text: string,
  sign: number,
  isSecretName: (name: string) => boolean,
): number {
  const end = endOfName(text, sign);
  const start = startOfName(text, end);
  if (start === end) return -1;
  const name = text.slice(start, end);
  const [escape = ''] = text.charCodeAt(start - 1) === BACKSLASH ? (ESCAPE.exec(name) ?? []) : [];
  if (escape !== '' && isSecretName(name.slice(escape.length))) return start + escape.length;
  return isSecretName(name) ? start : -1;
}

function endOfName(text: string, sign: number): number {
  let at = sign;
  while (at > 0 && sign - at < LONGEST_GAP && isGap(text.charCodeAt(at - 1))) at--;
  return at;
}

function isGap(code: number): boolean {
  return (
    code === SPACE ||
    code === QUOTE ||
    code === SINGLE_QUOTE ||
    code === BACKTICK ||
    code === BACKSLASH ||
    code === BRACKET
  );
}

function startOfName(text: string, end: number): number {
  let at = end;
  // An escape may be before it, of at most six characters.
  while (at > 0 && end - at < LONGEST_NAME + 6 && IN_NAME[text.charCodeAt(at - 1)] === 1) at--;
  return at;
}
