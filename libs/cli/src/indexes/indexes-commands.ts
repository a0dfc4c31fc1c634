import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { addAddCommand } from './add-command.js';
import { addListCommand } from './list-command.js';
import { addRemoveCommand } from './remove-command.js';
import { addSearchCommand } from './search-command.js';

/** `dacapo indexes …`: the catalogue of indexed services (SPEC 2.3) and the documents behind it. */
export function addIndexesCommands(program: Command, io: CliIo): void {
  const indexes = program.command('indexes').description('documents that applications look things up in');
  addAddCommand(indexes, io);
  addListCommand(indexes, io);
  addRemoveCommand(indexes, io);
  addSearchCommand(indexes, io);
}
