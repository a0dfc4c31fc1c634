import type { SecretPattern } from './patterns.js';
import { FOREIGN_NAMES } from './secret-names.js';

/** With or without a capital at the beginning. */
const NAME = FOREIGN_NAMES.map((name) => {
  const [first = '', ...rest] = name;
  return `[${first}${first.toUpperCase()}]${rest.join('')}`;
}).join('|');

/** A name of a password that is not written in plain Latin letters. */
export const FOREIGN_NAME = new RegExp(NAME, 'g');

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

/** UTF-8 of the names, one character for a byte. */
const NAME_BYTES = new RegExp(
  FOREIGN_NAMES.map((name) => String.fromCharCode(...new TextEncoder().encode(name.slice(1)))).join('|'),
);
/** What their letters begin with; dashes and quotation marks begin with another byte. */
const LETTER = /[\xc3-\xe1\xe3-\xed]/;

/** Whether such a name may be in UTF-8, one character for a byte. Its first letter may be a capital. */
export function mayForeignNameHide(utf8: string): boolean {
  return LETTER.test(utf8) && NAME_BYTES.test(utf8);
}
