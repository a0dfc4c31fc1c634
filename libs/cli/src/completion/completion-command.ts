import { type Command, Argument } from 'commander';
import type { CliIo } from '../io.js';
import { tabulateCommands } from './command-table.js';
import { formatCompletion, type Shell, SHELLS } from './completion-scripts.js';

/** `dacapo completion`: a script for the shell. @param loadProgram the program with all of its commands */
export function addCompletionCommand(program: Command, io: CliIo, loadProgram: () => Promise<Command>): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      io.stdout.write(formatCompletion(shell, tabulateCommands(await loadProgram())));
    });
}
