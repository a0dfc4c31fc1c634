import { Command } from 'commander';
import { addAccountsCommands } from './accounts/accounts-commands.js';
import { addAuditCommand } from './audit/audit-command.js';
import { addBrowsersCommands } from './browsers/browsers-commands.js';
import { addMembersCommands } from './members/members-commands.js';
import { addDataCommands } from './data/data-commands.js';
import { addDatasetsCommands } from './datasets/datasets-commands.js';
import { addDeleteCommand } from './deletions/delete-command.js';
import { addRetentionCommands } from './deletions/retention-commands.js';
import { addExportCommand } from './transfer/export-command.js';
import { addImportCommand } from './transfer/import-command.js';
import { addDoctorCommand } from './doctor/doctor-command.js';
import { addFunctionsCommands } from './functions/functions-commands.js';
import { addIndexesCommands } from './indexes/indexes-commands.js';
import { addEvalCommand } from './eval/eval-command.js';
import type { CliIo } from './io.js';
import { addKeysCommands } from './keys/keys-commands.js';
import { addMetricsCommand } from './metrics/metrics-command.js';
import { addReplayCommand } from './replay/replay-command.js';
import { addRescoreCommand } from './replay/rescore-command.js';
import { addRunsCommands } from './runs/runs-commands.js';
import { addSpoolCommands } from './spool/spool-commands.js';
import { addServeCommand } from './serve/serve-command.js';
import { VERSION } from './version.js';

const EXIT_CODES_HELP = `
Exit codes: 0 done · 1 it could not be done · 2 the command line is wrong · 3 no service answered
  4 no call to replay or add · 5 the gate failed · 130, 143 a signal ended it
Environment: TRACER_API_KEY, TRACER_SERVICE_URL, DACAPO_DEBUG=1 (show stacks)`;

/** Creates the `dacapo` command for one process or test. */
export function createProgram(io: CliIo): Command {
  const program = new Command('dacapo')
    .description('Record what your AI functions did, and play it again through new code.')
    .version(VERSION)
    .addHelpText('after', EXIT_CODES_HELP);
  addServeCommand(program, io);
  addReplayCommand(program, io);
  addRescoreCommand(program, io);
  addEvalCommand(program, io);
  addDatasetsCommands(program, io);
  addRunsCommands(program, io);
  addMetricsCommand(program, io);
  addIndexesCommands(program, io);
  addFunctionsCommands(program, io);
  addAccountsCommands(program, io);
  addKeysCommands(program, io);
  addMembersCommands(program, io);
  addBrowsersCommands(program, io);
  addAuditCommand(program, io);
  addExportCommand(program, io);
  addImportCommand(program, io);
  addDeleteCommand(program, io);
  addRetentionCommands(program, io);
  addSpoolCommands(program, io);
  addDataCommands(program, io);
  addDoctorCommand(program, io);
  bind(program, io);
  return program;
}

/** Stops Commander from printing errors; `run` prints them for all commands. */
function bind(command: Command, io: CliIo): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    outputError: () => undefined,
  });
  command.commands.forEach((child) => {
    bind(child, io);
  });
}
