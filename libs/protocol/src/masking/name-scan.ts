const QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKTICK = 0x60;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const BRACKET = 0x5d;
const LONGEST_NAME = 64;
/** Between a name and its sign: a quote, a bracket, spaces, backslashes of JSON inside JSON. */
const LONGEST_GAP = 32;
/** The letter of an escape such as `\n`, which does not belong to the name; or the first letter of a name after a backslash. */
const ESCAPE = /^(?:[bfnrt]|u[\da-f]{4})/;

const IN_NAME = new Uint8Array(128);
for (let code = 0; code < 128; code++) if (/[\w.-]/.test(String.fromCharCode(code))) IN_NAME[code] = 1;

/** The start of the secret's name before a sign, or -1. A backslash before it may belong to an escape. */
export function secretNameBefore(
  text: string,
  sign: number,
  isSecretName: (name: string) => boolean,
): number {
  const end = findNameEnd(text, sign);
  const start = findNameStart(text, end);
  if (start === end) return -1;
  const name = text.slice(start, end);
  const [escape = ''] = text.charCodeAt(start - 1) === BACKSLASH ? (ESCAPE.exec(name) ?? []) : [];
  if (escape !== '' && isSecretName(name.slice(escape.length))) return start + escape.length;
  return isSecretName(name) ? start : -1;
}

function findNameEnd(text: string, sign: number): number {
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

function findNameStart(text: string, end: number): number {
  let at = end;
  // An escape of at most six characters may precede it.
  while (at > 0 && end - at < LONGEST_NAME + 6 && IN_NAME[text.charCodeAt(at - 1)] === 1) at--;
  return at;
}
