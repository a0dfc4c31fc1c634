import { AT, BACKSLASH, toByteTable, COLON, DASH, IN_DIGITS, IN_WORD, SLASH, decodeAscii } from './ascii.js';
import { FOREIGN_NAMES } from './foreign-names.js';
import { HINTS } from './hint-kinds.js';
import { type HintKind, HintScan, STOP } from './hint-scan.js';
import { nameHint, someName } from './name-hints.js';
import { lookAtDigits } from './number-hints.js';
import { NAME_WORDS } from './secret-names.js';
import { PROVIDER_KEYS, SHORTEST_TOKEN } from './token-heads.js';

const BEFORE = 96;
const AFTER = 640;
const UNBROKEN = 1024;
const LONGEST_WORD = 32;

const IN_BASE64 = toByteTable(/[A-Za-z0-9+/=]/);

interface Around {
  readonly literals: readonly string[];
  /** Default: `other`. */
  readonly hint?: number;
  /** Must match the text from the literal on. */
  readonly from?: RegExp;
  /** Must match the text up to the literal. */
  readonly to?: RegExp;
}

/** Words that patterns need, and the text that must surround them, plain or as JSON. */
const LITERALS: readonly Around[] = [
  { literals: ['-----BEGIN', 'Private-Lines:'], hint: HINTS.block },
  { literals: ['oracle:', 'sqlplus ', 'kty', 'form-data', 'PASS ', 'AUTH ', 'LOGIN ', 'quirepass '] },
  { literals: ['$2a$', '$2b$', '$2x$', '$2y$', '$2$', '$1$', '$5$', '$6$', '$y$', '$apr1$', '$argon2'] },
  { literals: ['0Q~', '1Q~', '2Q~', '3Q~', '4Q~', '5Q~', '6Q~', '7Q~', '8Q~', '9Q~'] },
  { literals: ['eyJ'], hint: HINTS.token, from: /^eyJ[\w-]{8,}\./ },
  { literals: ['hooks.slack', 'discord', '.webhook'], to: /:\/\/[\w.-]{0,64}$/ },
  { literals: [':AA'], from: /^:AA[\w-]{30}/ },
  { literals: ['Bearer', 'bearer'], from: /^bearer(?:\s|\\[nrt]){1,8}[\w.~+/-]{6}/i },
  { literals: ['Basic '], from: /^Basic (?:\s|\\[nrt]){0,7}[\w+/]{12}/ },
  { literals: ['sig=', 'gnature=', 'SIG=', 'Sig=', 'GNATURE='] },
  { literals: ['code='], from: /^code=[\w%./~+-]{16}/ },
  { literals: ['response=', 'mac='], from: /^\w+=\\{0,16}"?[\w+/=%-]{24}/ },
  {
    literals: [' -u', 'n-u', 't-u', 'r-u', '"-u', '--user'],
    from: /^.?-{1,2}u(?:ser)?[ =]{0,8}["',\\]{0,5}[^\s"':]{1,256}:/,
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
  { literals: ['value:'], to: /name:[^]{0,160}$/ },
  { literals: ['value=', 'content='], to: /(?:name|key|id)=[^]{0,340}$/ },
];

const AROUND = new Map<string, Around>();
for (const around of LITERALS) for (const literal of around.literals) AROUND.set(literal, around);

/** Prefixes of provider keys. Two characters are too few to search for. */
const HEADS = new Set(
  PROVIDER_KEYS.flatMap(({ heads }) =>
    heads.flatMap((head) =>
      head.length > 2 ? [head] : Array.from('0123456789abcdef', (next) => head + next),
    ),
  ),
);
const IN_TOKEN = toByteTable(/[\w.~$-]/);
const IN_HEX = toByteTable(/[\da-f]/);
const IN_PGPASS = toByteTable(/[\w*-]/);
const IN_USER = toByteTable(/[^\s?#"'<>]/).fill(1, 0x80);
const USER_INFO = '://';
const LONGEST_USER = 3200;
const ENCODED_KEY = 'LS0tLS1CRUdJTi';
const LONGEST_PORT = 5;
/** Length of the keys of Mailchimp and Mailgun before the dash. */
const HEX_KEY = 32;

let scan: HintScan | undefined;

/** Created for the first text, because it would slow down the import. */
function hintScan(): HintScan {
  return (scan ??= new HintScan({
    names: NAME_WORDS,
    foreign: FOREIGN_NAMES,
    literals: [USER_INFO, ...AROUND.keys(), ...HEADS],
  }));
}

/** Finds positions of possible secrets in the UTF-8 of a text or of JSON. */
export class HintFinder {
  constructor(
    private readonly isSecretName: (name: string) => boolean,
    /** The options add names of any form, so every name before a sign is checked. */
    private readonly hasOwnNames = false,
  ) {}

  /**
   * Calls `found` with each position in the range and its `HINTS` until it returns `true`. May report too many positions, never too few.
   * Skips unbroken base64 of 1 KB or more, except a private key.
   */
  some(bytes: Uint8Array, from: number, to: number, found: (at: number, hint: number) => boolean): boolean {
    const { isSecretName } = this;
    const isFound = hintScan().some(bytes, from, to, (kind, start, end) => {
      if (kind === 'digits') return lookAtDigits(bytes, start, from, to, found);
      const hint = hintAt(kind, bytes, start, end, to, isSecretName);
      if (hint === 0) return kind === 'name' || kind === 'literal' ? findBase64End(bytes, start, to) : 0;
      const run = kind === 'foreign' ? 0 : findBase64End(bytes, start, to);
      if (run > 0 && !isEncodedKey(bytes, start)) return run;
      return found(start, hint) ? STOP : 0;
    });
    return isFound || (this.hasOwnNames && someName(bytes, from, to, isSecretName, found));
  }
}

/** Which of `HINTS` a match is, or 0. */
function hintAt(
  kind: Exclude<HintKind, 'digits'>,
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
  isSecretName: (name: string) => boolean,
): number {
  if (kind === 'name') return nameHint(bytes, start, end, length, isSecretName);
  if (kind === 'foreign') return HINTS.foreign;
  if (kind === 'hex') return isKeyBefore(bytes, start) ? HINTS.other : 0;
  if (kind === 'port') return isPgpass(bytes, start, length) ? HINTS.other : 0;
  const literal = decodeAscii(bytes, start, end);
  if (HEADS.has(literal)) return isTokenHint(bytes, start, length) ? HINTS.token : 0;
  if (literal === USER_INFO) return isUserHint(bytes, end, length) ? HINTS.other : 0;
  const { from, to, hint = HINTS.other } = AROUND.get(literal) ?? {};
  return (from === undefined || from.test(decodeAscii(bytes, start, Math.min(length, end + AFTER)))) &&
    (to === undefined || to.test(decodeAscii(bytes, Math.max(0, start - BEFORE * 4), start)))
    ? hint
    : 0;
}

/** Whether a user, and perhaps a password, precede the `@` of an address. */
function isUserHint(bytes: Uint8Array, start: number, length: number): boolean {
  const most = Math.min(length, start + LONGEST_USER);
  for (let at = start; at < most; at++) {
    const byte = bytes[at] as number;
    if (byte === AT) return at > start;
    // Another address begins here; it is checked separately.
    if (IN_USER[byte] === 0 || (byte === COLON && bytes[at + 1] === SLASH && bytes[at + 2] === SLASH))
      return false;
  }
  return false;
}

/** Whether 32 hexadecimal digits precede the dash in the window whose second pair is at `at`. */
function isKeyBefore(bytes: Uint8Array, at: number): boolean {
  const dash = bytes[at] === DASH ? at : at - 1;
  let start = dash;
  while (start > 0 && dash - start <= HEX_KEY && IN_HEX[bytes[start - 1] as number] === 1) start--;
  return dash - start >= HEX_KEY;
}

/** Whether a line of `.pgpass` is here, which is recognized by its form: `:5432:shop:ann:`. */
function isPgpass(bytes: Uint8Array, second: number, length: number): boolean {
  let at = bytes[second - 2] === COLON ? second - 1 : second;
  const port = at;
  while (at < length && IN_DIGITS[bytes[at] as number] === 1) at++;
  if (at - port > LONGEST_PORT) return false;
  for (let part = 0; part < 2; part++) {
    if (bytes[at] !== COLON) return false;
    const start = ++at;
    while (at < length && at - start < 129 && IN_PGPASS[bytes[at] as number] === 1) at++;
    if (at === start) return false;
  }
  return bytes[at] === COLON;
}

/** A token begins at the start of a word, or after an escape. */
function isTokenHint(bytes: Uint8Array, start: number, length: number): boolean {
  const before = bytes[start - 1] ?? 0;
  const isEscape = bytes[start - 2] === BACKSLASH || bytes[start - 6] === BACKSLASH;
  if (IN_WORD[before] === 1 && !isEscape) return false;
  const least = start + SHORTEST_TOKEN;
  if (least > length) return false;
  for (let at = start; at < least; at++) if (IN_TOKEN[bytes[at] as number] === 0) return false;
  return true;
}

/** Whether a private key (PEM) in base64 begins there. */
function isEncodedKey(bytes: Uint8Array, at: number): boolean {
  return decodeAscii(bytes, at, at + ENCODED_KEY.length) === ENCODED_KEY;
}

/** The latest possible start of the last word in a long unbroken run of base64 around a position, or 0. */
function findBase64End(bytes: Uint8Array, at: number, length: number): number {
  if (IN_BASE64[bytes[at] as number] !== 1) return 0;
  let end = at;
  while (end < length && IN_BASE64[bytes[end] as number] === 1) end++;
  let start = at;
  while (start > 0 && end - start < UNBROKEN && IN_BASE64[bytes[start - 1] as number] === 1) start--;
  return end - start >= UNBROKEN ? end - LONGEST_WORD : 0;
}
