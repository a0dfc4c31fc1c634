import { Command } from 'commander';
import type { CliIo } from './io.js';
import { EXAMPLES } from './output/examples.js';
import { VERSION } from './version.js';

const EXIT_CODES_HELP = `
Exit codes: 0 done · 1 failed · 2 invalid command line · 3 no service answered
  4 no call to replay or add · 5 the gate failed · 130, 143 ended by a signal
Environment, also from .env: TRACER_API_KEY, TRACER_SERVICE_URL
  DACAPO_DEBUG=1 shows stacks`;

/** Adds commands to the program. */
type AddCommands = (program: Command, io: CliIo) => void;

const loadDataCommands = async (): Promise<AddCommands> =>
  (await import('./data/data-commands.js')).addDataCommands;

/** Loads what adds a command, in the order of the help. */
const COMMANDS: ReadonlyMap<string, () => Promise<AddCommands>> = new Map([
  ['init', async () => (await import('./init/init-command.js')).addInitCommand],
  ['serve', async () => (await import('./serve/serve-command.js')).addServeCommand],
  ['replay', async () => (await import('./replay/replay-command.js')).addReplayCommand],
  ['rescore', async () => (await import('./replay/rescore-command.js')).addRescoreCommand],
  ['eval', async () => (await import('./eval/eval-command.js')).addEvalCommand],
  ['datasets', async () => (await import('./datasets/datasets-commands.js')).addDatasetsCommands],
  ['cassettes', async () => (await import('./cassettes/cassettes-commands.js')).addCassettesCommands],
  ['mcp', async () => (await import('./mcp/mcp-command.js')).addMcpCommand],
  ['reproduce', async () => (await import('./reproduce/reproduce-command.js')).addReproduceCommand],
  ['prove', async () => (await import('./prove/prove-command.js')).addProveCommand],
  ['bisect', async () => (await import('./bisect/bisect-command.js')).addBisectCommand],
  ['runs', async () => (await import('./runs/runs-commands.js')).addRunsCommands],
  ['traces', async () => (await import('./traces/traces-commands.js')).addTracesCommands],
  ['metrics', async () => (await import('./metrics/metrics-command.js')).addMetricsCommand],
  ['indexes', async () => (await import('./indexes/indexes-commands.js')).addIndexesCommands],
  ['functions', async () => (await import('./functions/functions-commands.js')).addFunctionsCommands],
  ['accounts', async () => (await import('./accounts/accounts-commands.js')).addAccountsCommands],
  ['keys', async () => (await import('./keys/keys-commands.js')).addKeysCommands],
  ['members', async () => (await import('./members/members-commands.js')).addMembersCommands],
  ['browsers', async () => (await import('./browsers/browsers-commands.js')).addBrowsersCommands],
  ['audit', async () => (await import('./audit/audit-command.js')).addAuditCommand],
  ['export', async () => (await import('./transfer/export-command.js')).addExportCommand],
  ['import', async () => (await import('./transfer/import-command.js')).addImportCommand],
  ['delete', async () => (await import('./deletions/delete-command.js')).addDeleteCommand],
  ['retention', async () => (await import('./deletions/retention-commands.js')).addRetentionCommands],
  ['spool', async () => (await import('./spool/spool-commands.js')).addSpoolCommands],
  ['backup', loadDataCommands],
  ['restore', loadDataCommands],
  ['check', loadDataCommands],
  [
    'completion',
    async () => {
      const { addCompletionCommand } = await import('./completion/completion-command.js');
      return (program, io) => {
        addCompletionCommand(program, io, () => createProgram(io, undefined));
      };
    },
  ],
  ['migrate-storage', async () => (await import('./data/migrate-command.js')).addMigrateCommand],
  ['doctor', async () => (await import('./doctor/doctor-command.js')).addDoctorCommand],
]);

/**
 * Creates the `dacapo` command for one process or test.
 *
 * @param name first word of the command line: the program has only this command, or all of them when it names none
 */
export async function createProgram(io: CliIo, name: string | undefined): Promise<Command> {
  const program = new Command('dacapo')
    .description('Records what your AI functions did, and replays it through new code.')
    .version(VERSION)
    .addHelpText('after', EXIT_CODES_HELP);
  const named = COMMANDS.get(name ?? '');
  // A command starts faster without the modules of the others.
  for (const load of named === undefined ? new Set(COMMANDS.values()) : [named]) {
    const addCommands = await load();
    addCommands(program, io);
  }
  bind(program, io);
  return program;
}

/** Stops Commander from printing errors, which `run` prints for all commands, and adds examples to the help. */
function bind(command: Command, io: CliIo, path = ''): void {
  const example = EXAMPLES[path];
  if (example !== undefined) command.addHelpText('after', `\nExample: dacapo ${example}`);
  command.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    outputError: () => undefined,
  });
  command.commands.forEach((child) => {
    bind(child, io, `${path} ${child.name()}`.trim());
  });
}
