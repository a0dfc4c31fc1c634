import { type Command, CommanderError } from 'commander';
import { UsageError } from './errors.js';
import { exitCodeFor } from './exit-code-for.js';
import { EXIT_CODES } from './exit-codes.js';
import type { CliIo } from './io.js';
import { formatError } from './output/format-error.js';
import { showWaiting } from './output/waiting-line.js';
import { createProgram } from './program.js';

/**
 * Runs one command line, without the program's name, and resolves to the exit code. Never rejects and never ends the process:
 * errors are printed on stderr, as `{"error":{"code","message"}}` with `--json`.
 */
export async function run(argv: readonly string[], processIo: CliIo): Promise<number> {
  const { io, end } = showWaiting(processIo, `dacapo ${argv[0] ?? ''}`);
  const program = await createProgram(io, argv[0]);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return EXIT_CODES.success;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT_CODES.success;
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT_CODES.usage;
    const failure = thrown instanceof CommanderError ? toUsageError(thrown) : thrown;
    const error = failure instanceof UsageError ? failure.of(findCommandName(program, argv)) : failure;
    io.stderr.write(formatError(error, { isJson: argv.includes('--json'), env: io.env }));
    return exitCodeFor(error);
  } finally {
    end();
  }
}

/** The longest known command at the start of the line, such as `dacapo runs list`. */
function findCommandName(program: Command, argv: readonly string[]): string {
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

function toUsageError({ message }: CommanderError): UsageError {
  const [problem = '', suggestion] = message
    .replace(/^error: /, '')
    .trimEnd()
    .split(/\n\((.+)\)$/);
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, '')}.`;
  return new UsageError(suggestion === undefined ? sentence : `${sentence} ${suggestion}`);
}
