import { HINTS } from './hint-kinds.js';
import type { SecretPattern } from './patterns.js';
import { FOREIGN_PASSWORDS } from './secret-names.js';

/** With and without a capital at the beginning. */
export const FOREIGN_NAMES = [
  ...new Set(FOREIGN_PASSWORDS.flatMap((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)])),
];
const NAME = FOREIGN_NAMES.join('|');

/** `пароль: …`, `密码：…`: no name of a property in most code, but of forms and of sentences. */
export function foreignNamePattern(): SecretPattern {
  return {
    finds: 'passwords in other languages',
    hint: HINTS.foreign,
    example: 'Пароль: «hunter2»',
    expression: new RegExp(
      `((?:${NAME})[^\\s:=：]{0,8}["'\`]?(?:\\s{0,2}(?:[:=：]|-|—|ist|это|是|は)\\s{0,8}["'\`]?))([^\\s"'\`,;<>]{4,256})`,
      'gu',
    ),
    replace: (mask, match, [before = '', value = '']) =>
      /\d/.test(value) && !value.startsWith('[redacted') ? `${before}${mask(value)}` : match,
  };
}
