import { FIELD_NAMES, type FieldCondition, fieldCondition, type FieldName } from '@dacapo/protocol';
import { type Command, Option } from 'commander';
import { each } from '../replay/read-words.js';

/** What was given on the command line, by the names that Commander makes of flags. */
type Words = Readonly<Record<string, unknown>>;

/**
 * Adds an option for each condition on a field, such as `--user <id>`.
 *
 * @param of what the command is about, in front of `of this user` and of `of this kind`
 * @param flags those that the command calls otherwise
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

/** The conditions on fields that were given, by the names of the service. */
export function fieldWordsOf(
  words: object,
  flags: Partial<Record<FieldName, string>> = {},
): [name: FieldName, value: string | readonly string[]][] {
  return FIELD_NAMES.flatMap((name) => {
    const attribute = new Option(flags[name] ?? fieldCondition(name).flag).attributeName();
    const value = (words as Words)[attribute] as string | readonly string[] | undefined;
    return value === undefined ? [] : [[name, value]];
  });
}
