import type { Command, Option } from 'commander';

interface OptionRow {
  /** Such as `--type`; short ones have none. */
  readonly flag: string;
  readonly description: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export interface CommandRow {
  /** Names below the program, such as `datasets add`; empty for the program. */
  readonly path: string;
  readonly description: string;
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionRow[];
}

/** All commands of a program with their options, in the order of the help. */
export function tabulateCommands(command: Command, path = ''): CommandRow[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const row: CommandRow = {
    path,
    description: command.description(),
    subcommands: subcommands.map((child) => ({ name: child.name(), description: child.description() })),
    options: help.visibleOptions(command).flatMap(toOptionRow),
  };
  const below = subcommands.flatMap((child) => tabulateCommands(child, `${path} ${child.name()}`.trim()));
  return [row, ...below];
}

function toOptionRow({ long, description, required, optional, argChoices = [] }: Option): OptionRow[] {
  return long === undefined
    ? []
    : [{ flag: long, description, takesValue: required || optional, choices: argChoices }];
}
