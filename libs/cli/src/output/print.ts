import type { CliIo } from '../io.js';

/** Prints a command's result: one line of JSON when asked to, else the text for people. */
export function print(io: CliIo, { json }: { json?: true }, result: unknown, text: string): void {
  io.stdout.write(json ? `${JSON.stringify(result)}\n` : text.replace(/\n*$/, '\n'));
}
