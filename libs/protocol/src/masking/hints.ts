import { isCardNumber } from './card-number.js';
import { HintScan, type HintKind } from './hint-scan.js';
import { FOREIGN_NAMES, NAME_WORDS } from './secret-names.js';
import { PROVIDER_KEYS, SHORTEST_TOKEN } from './token-heads.js';

const LONGEST_NAME = 64;
const LONGEST_GAP = 40;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const PERCENT = 0x25;
const SLASH = 0x2f;
const COLON = 0x3a;
const DASH = 0x2d;
const QUOTED = 0x27;
const OPEN = 0x28;
const BEFORE = 96;
const AFTER = 640;
const UNBROKEN = 1024;

const IN_NAME = bytesOf(/[\w.-]/);
const IN_WORD = bytesOf(/\w/);
/** Between a name and its sign: a quote, a bracket, spaces, marks of bold text, backslashes of JSON inside JSON. */
const IN_GAP = bytesOf(/[\s"'`\\\])*]/);
const IN_BASE64 = bytesOf(/[A-Za-z0-9+/=]/);
/** `:`, `=`, and either encoded for an address. */
const SIGNS = bytesOf(/[:=%]/);

interface Around {
  readonly literals: readonly string[];
  /** From the literal on. */
  readonly from?: RegExp;
  /** Up to the literal. */
  readonly to?: RegExp;
}

/** Words that patterns need, and what must be around them, as it is or as JSON. */
const LITERALS: readonly Around[] = [
  { literals: ['-----BEGIN', 'Private-Lines:', 'LS0tLS1CRUdJTi', 'oracle:', 'sqlplus ', 'kty', 'form-data'] },
  { literals: ['PASS ', 'AUTH ', 'LOGIN ', 'quirepass ', 'sha256~', 'access_token$'] },
  { literals: ['$2a$', '$2b$', '$2x$', '$2y$', '$2$', '$1$', '$5$', '$6$', '$y$', '$apr1$', '$argon2'] },
  { literals: ['0Q~', '1Q~', '2Q~', '3Q~', '4Q~', '5Q~', '6Q~', '7Q~', '8Q~', '9Q~'] },
  { literals: ['eyJ'], from: /^eyJ[\w-]{8,}\./ },
  {
    literals: ['://'],
    from: /^:\/\/(?:[^\s?#"'<>]{1,600}@|hooks\.slack|[\w.]{0,17}discord|[\w-]{1,64}\.webhook)/,
  },
  { literals: [':AA'], from: /^:AA[\w-]{30}/ },
  { literals: ['Bearer', 'bearer'], from: /^bearer(?:\s|\\[nrt]){1,8}[\w.~+/-]{6}/i },
  { literals: ['Basic '], from: /^Basic (?:\s|\\[nrt]){0,7}[\w+/]{12}/ },
  { literals: ['sig=', 'gnature=', 'SIG=', 'Sig=', 'GNATURE='] },
  { literals: ['code='], from: /^code=[\w%./~+-]{16}/ },
  { literals: ['response=', 'mac='], from: /^\w+=\\{0,16}"?[\w+/=%-]{24}/ },
  {
    literals: [' -u', 'n-u', 't-u', 'r-u', '"-u', '--user'],
    from: /^.?-{1,2}u(?:ser)?[ =]{0,8}["'\\]{0,3}[^\s"':]{1,256}:/,
  },
  { literals: ['base64:'], from: /^base64:[\w+/]{43}=/ },
  { literals: ['phrase'], from: /^phrase\\{0,2}["']?:/ },
  { literals: ['IDENTIFIED', 'identified', 'Identified'], from: /^IDENTIFIED[^']{1,128}'/i },
  { literals: ['login'], to: /(?:machine|default)[^]{0,300}$/ },
  {
    literals: ['mysql', 'mariadb', 'sshpass', 'redis-cli', 'docker', 'podman', 'helm '],
    from: /^[^]{0,400}? -[pa]/,
  },
  { literals: ['1//0'], from: /^1\/\/0[\w-]{20}/ },
  { literals: ['-us'], from: /^-us\d/, to: /[0-9a-f]{32}$/ },
  { literals: ['value:'], to: /name:[^]{0,160}$/ },
  { literals: ['value=', 'content='], to: /(?:name|key|id)=[^]{0,340}$/ },
];

const AROUND = new Map<string, Around>();
for (const around of LITERALS) for (const literal of around.literals) AROUND.set(literal, around);

/** How keys of providers begin; two characters are too few to be looked for. */
const HEADS = new Set(
  PROVIDER_KEYS.flatMap(({ heads }) =>
    heads.flatMap((head) =>
      head.length > 2 ? [head] : Array.from('0123456789abcdef', (next) => head + next),
    ),
  ),
);
const IN_TOKEN = bytesOf(/[\w.~$-]/);

let scan: HintScan | undefined;
const decoder = new TextDecoder('latin1');

/** Made when the first text comes: it takes longer than an import should. */
function hintScan(): HintScan {
  return (scan ??= new HintScan([...NAME_WORDS, ...FOREIGN_NAMES], [...AROUND.keys(), ...HEADS]));
}

/** Bytes of a text, as they are or as JSON, in which secrets are looked for. */
export interface Hints {
  readonly bytes: Uint8Array;
  readonly length: number;
}

/**
 * Calls `found` with the places where a secret may be, in rising order, until it answers `true`. Wrong only in finding too much. What is
 * unbroken base64 of 1 KB or more is passed over, except a private key.
 */
export function someHint(
  { bytes, length }: Hints,
  isSecretName: (name: string) => boolean,
  found: (at: number) => boolean,
): boolean {
  let skipTo = 0;
  return hintScan().some(bytes, length, (kind, start, end) => {
    if (start < skipTo) return false;
    if (!isHint(kind, bytes, start, end, length, isSecretName)) return false;
    const run = endOfBase64(bytes, start, length);
    if (run > 0 && kind !== 'digits' && textOf(bytes, start, start + 14) !== 'LS0tLS1CRUdJTi') {
      skipTo = run;
      return false;
    }
    return found(start);
  });
}

/** As `someHint`, of names that the options add: they may be any, so each name before a sign is looked at. */
export function someName(
  { bytes, length }: Hints,
  isSecretName: (name: string) => boolean,
  found: (at: number) => boolean,
): boolean {
  for (let at = 1; at < length; at++) {
    const byte = bytes[at] as number;
    const isFlag = byte === 0x2d && bytes[at - 1] === 0x2d;
    if (SIGNS[byte] !== 1 && byte !== GREATER && byte !== LESS && !isFlag) continue;
    let to = at;
    while (!isFlag && to > 0 && at - to < LONGEST_GAP && IN_GAP[bytes[to - 1] as number] === 1) to--;
    while (isFlag && to < length && to - at < LONGEST_NAME && IN_NAME[bytes[to] as number] === 1) to++;
    let from = isFlag ? at + 1 : to;
    while (!isFlag && from > 0 && to - from < LONGEST_NAME + 6 && IN_NAME[bytes[from - 1] as number] === 1)
      from--;
    if (from < to && namesBefore(bytes, from, to).some(isSecretName) && found(from)) return true;
  }
  return false;
}

/** The bytes of a text, one for each of its characters: what is no ASCII is none of a hint. */
export function hintsOf(text: string): Hints {
  const { length } = text;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    bytes[i] = code < 0x80 ? code : 1;
  }
  return { bytes, length };
}

function isHint(
  kind: HintKind,
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
  isSecretName: (name: string) => boolean,
): boolean {
  if (kind === 'name') return isNameHint(bytes, start, end, length, isSecretName);
  if (kind === 'digits') return isNumberHint(bytes, start, end, length);
  const literal = textOf(bytes, start, end);
  if (HEADS.has(literal)) return isTokenHint(bytes, start, length);
  const { from, to } = AROUND.get(literal) ?? {};
  return (
    (from === undefined || from.test(textOf(bytes, start, Math.min(length, end + AFTER)))) &&
    (to === undefined || to.test(textOf(bytes, Math.max(0, start - BEFORE * 4), start)))
  );
}

/** A token begins where a word does, or after an escape. */
function isTokenHint(bytes: Uint8Array, start: number, length: number): boolean {
  const before = bytes[start - 1] ?? 0;
  const isEscape = bytes[start - 2] === BACKSLASH || bytes[start - 6] === BACKSLASH;
  if (IN_WORD[before] === 1 && !isEscape) return false;
  const least = start + SHORTEST_TOKEN;
  if (least > length) return false;
  for (let at = start; at < least; at++) if (IN_TOKEN[bytes[at] as number] === 0) return false;
  return true;
}

/** Digits of a card and perhaps more: looking at what is before them would take longer than all else here. */
const CARD = /[2-6]\d{3}[ -]?\d{4}[ -]?\d{2}[\d -]{2,11}/g;
const SHORTEST_CARD = 14;

function isNumberHint(bytes: Uint8Array, at: number, end: number, length: number): boolean {
  const text = textOf(bytes, Math.max(0, at - BEFORE), Math.min(length, end + 1));
  if (/[0-9a-f]{32}-/.test(text)) return true;
  CARD.lastIndex = 0;
  for (let row = CARD.exec(text); row !== null; row = CARD.exec(text)) {
    const digits = row[0].replace(/\D/g, '');
    for (let size = SHORTEST_CARD; size <= digits.length; size++)
      if (isCardNumber(digits.slice(0, size))) return true;
    // One may begin within another row.
    CARD.lastIndex = row.index + 1;
  }
  return false;
}

function isNameHint(
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
  isSecretName: (name: string) => boolean,
): boolean {
  // Words of other scripts are no part of a longer name.
  if ((bytes[start] as number) > 0x7f) return /^[^\n]{0,24}(?:[:=]|ï¼š)/.test(textOf(bytes, end, end + 32));
  let from = start;
  while (from > 0 && end - from < LONGEST_NAME + 6 && IN_NAME[bytes[from - 1] as number] === 1) from--;
  let to = end;
  while (to < length && to - from < LONGEST_NAME + 6 && IN_NAME[bytes[to] as number] === 1) to++;
  let sign = to;
  while (sign < length && sign - to < LONGEST_GAP && IN_GAP[bytes[sign] as number] === 1) sign++;
  if (!isNamed(bytes, from, to, sign, length)) return false;
  return namesBefore(bytes, from, to).some(isSecretName);
}

/** What is between a name and its value in a sentence, in SQL. */
const TOLD = /^(?:\s|\\[nrt]){0,8}(?:(?:is|was|->|=>)[^]*\d|[=(]?(?:\s|\\[nrt]){0,8}N?')/;
/** What code writes after a name: a type, an expression. */
const IN_CODE =
  /^[:=]>?\s{0,4}(?:(?:string|number|boolean|unknown|any|null|undefined|true|false|void)\b(?! *\w)|(?:this|process|options|config|await|new|typeof)[. ]\w)/;
/** What ends or begins an element. */
const LESS = 0x3c;
const GREATER = 0x3e;

function isNamed(bytes: Uint8Array, from: number, to: number, sign: number, length: number): boolean {
  const byte = bytes[sign] ?? 0;
  const before = bytes[from - 1] ?? 0;
  if (SIGNS[byte] === 1) return !IN_CODE.test(textOf(bytes, sign, Math.min(length, sign + 24)));
  if (byte === LESS) return bytes[sign + 1] === SLASH;
  if (byte === GREATER || before === LESS) return before === LESS || before === SLASH || before === COLON;
  if (bytes[from] === DASH && bytes[from + 1] === DASH) return true;
  if (bytes[to] !== SPACE && bytes[to] !== BACKSLASH && bytes[to] !== QUOTED && bytes[to] !== OPEN)
    return false;
  return (
    TOLD.test(textOf(bytes, to, Math.min(length, to + 96))) ||
    textOf(bytes, Math.max(0, from - 6), from).includes('ENV ')
  );
}

/** The name, and the same without an escape before it, and with the words before it: `API key`. */
function namesBefore(bytes: Uint8Array, from: number, to: number): string[] {
  const name = textOf(bytes, from, to);
  const names = [name];
  if (bytes[from - 1] === BACKSLASH) names.push(name.replace(/^(?:[bfnrt]|u[\da-f]{4})/, ''));
  if (bytes[from - 1] === PERCENT) names.push(name.replace(/^(?:25)?[\da-f]{2}/i, ''));
  let before = from;
  for (let words = 0; words < 2 && bytes[before - 1] === SPACE; words++) {
    before--;
    while (before > 0 && to - before < LONGEST_NAME && IN_NAME[bytes[before - 1] as number] === 1) before--;
    names.push(textOf(bytes, before, to));
  }
  return names;
}

/** The end of a long run of base64 without a break that holds a place, or 0. */
function endOfBase64(bytes: Uint8Array, at: number, length: number): number {
  let end = at;
  while (end < length && IN_BASE64[bytes[end] as number] === 1) end++;
  let start = at;
  while (start > 0 && end - start < UNBROKEN && IN_BASE64[bytes[start - 1] as number] === 1) start--;
  return end - start >= UNBROKEN ? end : 0;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > LONGEST_NAME) return decoder.decode(bytes.subarray(from, to));
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

function bytesOf(kind: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (kind.test(String.fromCharCode(byte)) ? 1 : 0));
}
