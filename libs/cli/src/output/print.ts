import type { CliIo } from '../io.js';

/** Prints a command's result: one line of JSON with `--json`, else the text. */
export function print(io: CliIo, { json }: { json?: true }, result: unknown, text: string): void {
  io.stdout.write(json ? `${JSON.stringify(result)}\n` : text.replace(/\n*$/, '\n'));
}
