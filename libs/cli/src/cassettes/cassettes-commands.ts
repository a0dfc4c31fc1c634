import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { addCheckCommand } from './check-command.js';
import { addPullCommand } from './pull-command.js';

/** `dacapo cassettes …`: recorded calls in files, for tests. */
export function addCassettesCommands(program: Command, io: CliIo): void {
  const cassettes = program.command('cassettes').description('recorded calls in files, for tests');
  addPullCommand(cassettes, io);
  addCheckCommand(cassettes, io);
}
