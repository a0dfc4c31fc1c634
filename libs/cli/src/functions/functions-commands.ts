import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { addActivateCommand } from './activate-command.js';
import { addListCommand } from './list-command.js';
import { addPullCommand } from './pull-command.js';
import { addPushCommand } from './push-command.js';

/** `dacapo functions …`: native functions, which `tracer.call` runs by name (SPEC 4.2). */
export function addFunctionsCommands(program: Command, io: CliIo): void {
  const functions = program
    .command('functions')
    .description('native functions, which applications call by name');
  addPushCommand(functions, io);
  addPullCommand(functions, io);
  addListCommand(functions, io);
  addActivateCommand(functions, io);
}
