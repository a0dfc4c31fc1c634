import {
  BACKSLASH,
  toByteTable,
  COLON,
  DASH,
  IN_NAME,
  IN_SPACE,
  IN_WORD,
  OPEN,
  OPEN_BRACE,
  OPEN_BRACKET,
  PERCENT,
  QUOTE,
  QUOTED,
  SLASH,
  SPACE,
  decodeAscii,
} from './ascii.js';
import { HINTS } from './hint-kinds.js';

const LONGEST_NAME = 64;
const LONGEST_GAP = 40;
/** Between a name and its sign: a quote, a bracket, spaces, marks of bold text, backslashes of JSON inside JSON. */
const IN_GAP = toByteTable(/[\s"'`\\\])*]/);
/** `:`, `=`, or one of them in URL encoding. */
const SIGNS = toByteTable(/[:=%]/);

/** The hint at a word of a name, or 0. */
export function nameHint(
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
  isSecretName: (name: string) => boolean,
): number {
  let from = start;
  while (from > 0 && end - from < LONGEST_NAME + 6 && IN_NAME[bytes[from - 1] as number] === 1) from--;
  let to = end;
  while (to < length && to - from < LONGEST_NAME + 6 && IN_NAME[bytes[to] as number] === 1) to++;
  let sign = to;
  while (sign < length && sign - to < LONGEST_GAP && IN_GAP[bytes[sign] as number] === 1) sign++;
  if (sign === length) return 0;
  if (SIGNS[bytes[sign] as number] !== 1)
    return isNamed(bytes, from, to, sign, length) ? secretHint(bytes, from, to, isSecretName) : 0;
  const hint = secretHint(bytes, from, to, isSecretName);
  if (hint === 0) return 0;
  let next = sign + 1;
  while (next < length && IN_SPACE[bytes[next] as number] === 1) next++;
  const isList = bytes[next] === OPEN_BRACKET || bytes[next] === OPEN_BRACE;
  if (isList) return bytes[sign - 1] === QUOTE || bytes[sign - 1] === SPACE ? hint | HINTS.list : 0;
  return IN_CODE.test(decodeAscii(bytes, sign, Math.min(length, sign + 96))) ? 0 : hint;
}

/** The text between a name and its value in a sentence or in SQL. */
const BEFORE_VALUE = /^(?:\s|\\[nrt]){0,8}(?:(?:is|was|->|=>)[^]*\d|[=(]?(?:\s|\\[nrt]){0,8}N?')/;
/** First characters of such a text. Escapes are always checked. */
const BEGINS_BEFORE_VALUE = toByteTable(/[iw=(N'\\-]/);
/** Code after a name: a type, an expression, a variable. */
const IN_CODE =
  /^[:=]>?\s{0,4}(?:(?:string|number|boolean|unknown|any|null|undefined|true|false|void)\b(?! *\w)|(?:this|process|options|config|await|new|typeof)[. ]\w|["'`\\]{0,3}\$(?:[A-Z_][A-Z\d_]*|\{{1,2}[^}\n]{0,64}\}{1,2})["'`\\]{0,3}[\s,;)&}])/;
/** The characters that end or begin an element. */
const LESS = 0x3c;
const GREATER = 0x3e;
const LOWER_U = 0x75;

/** Whether a value may follow a name without a sign: in an element, after a command-line option, in a sentence. */
function isNamed(bytes: Uint8Array, from: number, to: number, sign: number, length: number): boolean {
  const byte = bytes[sign] as number;
  const before = bytes[from - 1] ?? 0;
  const after = bytes[to] as number;
  if (byte === LESS) return bytes[sign + 1] === SLASH;
  if (byte === GREATER || before === LESS) return before === LESS || before === SLASH || before === COLON;
  if ((after === SPACE || after === QUOTE) && isOption(bytes, from, before)) return true;
  if (after !== SPACE && after !== BACKSLASH && after !== QUOTED && after !== OPEN) return false;
  let next = to;
  while (IN_SPACE[bytes[next] ?? 0] === 1) next++;
  return (
    (BEGINS_BEFORE_VALUE[bytes[next] ?? 0] === 1 &&
      BEFORE_VALUE.test(decodeAscii(bytes, to, Math.min(length, to + 96)))) ||
    (IN_WORD[before] === 0 && decodeAscii(bytes, Math.max(0, from - 6), from).includes('ENV '))
  );
}

/** `--`, also after a JSON escape such as `\\n`, whose letter was read as part of the name. */
function isOption(bytes: Uint8Array, from: number, before: number): boolean {
  let start = from;
  if (before === BACKSLASH) start += bytes[from] === LOWER_U ? 5 : 1;
  return bytes[start] === DASH && bytes[start + 1] === DASH;
}

/** The hint at the name of a secret, tried as it is, without a preceding escape and with the words before it (`API key`); else 0. */
function secretHint(
  bytes: Uint8Array,
  from: number,
  to: number,
  isSecretName: (name: string) => boolean,
): number {
  const name = decodeAscii(bytes, from, to);
  const sign = bytes[from - 1];
  let hint: number = isSecretName(name) ? HINTS.name : 0;
  if (hint === 0 && sign === BACKSLASH && isSecretName(name.replace(/^(?:[bfnrt]|u[\da-f]{4})/, '')))
    hint = HINTS.name;
  if (hint === 0 && sign === PERCENT && isSecretName(name.replace(/^(?:25)?[\da-f]{2}/i, '')))
    hint = HINTS.name;
  let before = from;
  for (let words = 0; words < 2 && bytes[before - 1] === SPACE; words++) {
    before--;
    while (before > 0 && to - before < LONGEST_NAME && IN_NAME[bytes[before - 1] as number] === 1) before--;
    if (isSecretName(decodeAscii(bytes, before, to))) return hint | HINTS.label;
  }
  return hint;
}

/** Like `some`, for all names before a sign. */
export function someName(
  bytes: Uint8Array,
  start: number,
  length: number,
  isSecretName: (name: string) => boolean,
  found: (at: number, hint: number) => boolean,
): boolean {
  for (let at = start + 1; at < length; at++) {
    const byte = bytes[at] as number;
    const isFlag = byte === DASH && bytes[at - 1] === DASH;
    if (SIGNS[byte] !== 1 && byte !== GREATER && byte !== LESS && !isFlag) continue;
    let to = at;
    while (!isFlag && to > start && at - to < LONGEST_GAP && IN_GAP[bytes[to - 1] as number] === 1) to--;
    while (isFlag && to < length && to - at < LONGEST_NAME && IN_NAME[bytes[to] as number] === 1) to++;
    let from = isFlag ? at + 1 : to;
    while (
      !isFlag &&
      from > start &&
      to - from < LONGEST_NAME + 6 &&
      IN_NAME[bytes[from - 1] as number] === 1
    )
      from--;
    const hint = from < to ? secretHint(bytes, from, to, isSecretName) : 0;
    if (hint !== 0 && found(from, hint | HINTS.list)) return true;
  }
  return false;
}
