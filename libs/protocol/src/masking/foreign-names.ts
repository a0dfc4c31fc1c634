import type { SecretPattern } from './patterns.js';
import { FOREIGN_NAMES } from './secret-names.js';

/** With and without a capital at the beginning. */
const WRITTEN = [
  ...new Set(FOREIGN_NAMES.flatMap((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)])),
];
const NAME = WRITTEN.join('|');

/** Letters with marks, and of other scripts. */
const NOT_ASCII = /[\u00c0-\u1fff\u3040-\ud7ff]/;

/** Where names of passwords are that are not written in plain Latin letters. */
export function foreignNamesIn(text: string): number[] {
  if (!NOT_ASCII.test(text)) return [];
  const places: number[] = [];
  for (const name of WRITTEN)
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) places.push(at);
  return places;
}

/** `пароль: …`, `密码：…`: no name of a property in most code, but of forms and of sentences. */
export function foreignNamePattern(): SecretPattern {
  return {
    finds: 'passwords in other languages',
    example: 'Пароль: «hunter2»',
    expression: new RegExp(
      `((?:${NAME})[^\\s:=：]{0,8}["'\`]?(?:\\s{0,2}(?:[:=：]|-|—|ist|это|是|は)\\s{0,8}["'\`]?))([^\\s"'\`,;<>]{4,256})`,
      'gu',
    ),
    replace: (mask, match, [before = '', value = '']) =>
      /\d/.test(value) && !value.startsWith('[redacted') ? `${before}${mask(value)}` : match,
  };
}

const NAMES_IN_UTF8 = WRITTEN.map((name) => {
  const utf8 = Array.from(new TextEncoder().encode(name), (byte) => String.fromCharCode(byte)).join('');
  // Its first letter that is no ASCII is rare, and looked for in no time.
  return { whole: utf8, rare: utf8.slice(utf8.search(/[\x80-\xff]/)) };
});
/** What their letters begin with; dashes and quotation marks begin with another byte. */
const LETTER = /[\xc3-\xe1\xe3-\xed]/;

/** Whether such a name may be in UTF-8, one character for a byte. */
export function mayForeignNameHide(utf8: string): boolean {
  if (!LETTER.test(utf8)) return false;
  return NAMES_IN_UTF8.some(({ rare, whole }) => utf8.includes(rare) && utf8.includes(whole));
}
