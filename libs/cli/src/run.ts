import { type Command, CommanderError } from 'commander';
import { UsageError } from './errors.js';
import { exitCodeOf } from './exit-code-of.js';
import { EXIT_CODES } from './exit-codes.js';
import type { CliIo } from './io.js';
import { formatError } from './output/format-error.js';
import { createProgram } from './program.js';

/**
 * Runs one command line, without the program's name, and resolves to the exit code. Never rejects and never ends the
 * process: what goes wrong is told on `io.stderr`, as `{"error":{"code","message"}}` when `--json` was given.
 */
export async function run(argv: readonly string[], io: CliIo): Promise<number> {
  const program = createProgram(io);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return EXIT_CODES.success;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT_CODES.success;
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT_CODES.usage;
    const told = thrown instanceof CommanderError ? usageErrorOf(thrown) : thrown;
    const error = told instanceof UsageError ? told.of(commandOf(program, argv)) : told;
    io.stderr.write(formatError(error, { isJson: argv.includes('--json'), env: io.env }));
    return exitCodeOf(error);
  }
}

/** The command that the line names, as far as it names one. */
function commandOf(program: Command, argv: readonly string[]): string {
  const names = [program.name()];
  let command = program;
  for (const word of argv) {
    const child = command.commands.find((known) => known.name() === word);
    if (child === undefined) break;
    names.push(word);
    command = child;
  }
  return names.join(' ');
}

function usageErrorOf({ message }: CommanderError): UsageError {
  const [problem = '', suggestion] = message
    .replace(/^error: /, '')
    .trimEnd()
    .split(/\n\((.+)\)$/);
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, '')}.`;
  return new UsageError(suggestion === undefined ? sentence : `${sentence} ${suggestion}`);
}
