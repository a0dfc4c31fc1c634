import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { addActivateCommand } from './activate-command.js';
import { addListCommand } from './list-command.js';
import { addPullCommand } from './pull-command.js';
import { addPushCommand } from './push-command.js';
import { addTypesCommand } from './types-command.js';

/** `dacapo functions …`: native functions, which `tracer.call` runs (SPEC 4.2). */
export function addFunctionsCommands(program: Command, io: CliIo): void {
  const functions = program.command('functions').description('native functions: prompts kept in the service');
  addPushCommand(functions, io);
  addPullCommand(functions, io);
  addListCommand(functions, io);
  addActivateCommand(functions, io);
  addTypesCommand(functions, io);
}
