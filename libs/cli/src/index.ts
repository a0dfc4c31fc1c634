export { CliError } from './errors.js';
export { EXIT_CODES, type ExitCode } from './exit-codes.js';
export type { CliIo, StopSignal, TextSink } from './io.js';
export { run } from './run.js';
