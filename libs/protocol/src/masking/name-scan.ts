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
