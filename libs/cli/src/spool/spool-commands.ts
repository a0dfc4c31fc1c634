import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { addListCommand } from './list-command.js';
import { addPurgeCommand } from './purge-command.js';
import { addSendCommand } from './send-command.js';

/** `dacapo spool …`: records that applications on this machine could not send, and that wait in files. */
export function addSpoolCommands(program: Command, io: CliIo): void {
  const spool = program.command('spool').description('records that wait in files on this machine');
  addListCommand(spool, io);
  addSendCommand(spool, io);
  addPurgeCommand(spool, io);
}
