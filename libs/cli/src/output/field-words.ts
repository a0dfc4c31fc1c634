import { FIELD_NAMES, type FieldCondition, fieldCondition, type FieldName } from '@dacapo/protocol';
import { type Command, Option } from 'commander';
import { each } from '../replay/read-words.js';

/** Options of the command line, by Commander's attribute names. */
type Words = Readonly<Record<string, unknown>>;

/**
 * Adds an option for each condition on a field, such as `--user <id>`.
 *
 * @param of the noun before `of this user` and `of this kind` in the help
 * @param flags replace the default flags
 */
export function withFieldWords(
  command: Command,
  of: Readonly<Record<FieldCondition['of'], string>>,
  flags: Partial<Record<FieldName, string>> = {},
): Command {
  for (const name of FIELD_NAMES) {
    const { of: what, flag, text, choices, isList } = fieldCondition(name);
    const option = new Option(flags[name] ?? flag, `${of[what]} ${text}`);
    if (choices !== undefined) option.choices(choices);
    if (isList === true) option.argParser(each(String));
    command.addOption(option);
  }
  return command;
}

/** The given conditions on fields, by the service's names. */
export function readFieldWords(
  words: object,
  flags: Partial<Record<FieldName, string>> = {},
): [name: FieldName, value: string | readonly string[]][] {
  return FIELD_NAMES.flatMap((name) => {
    const attribute = new Option(flags[name] ?? fieldCondition(name).flag).attributeName();
    const value = (words as Words)[attribute] as string | readonly string[] | undefined;
    return value === undefined ? [] : [[name, value]];
  });
}
