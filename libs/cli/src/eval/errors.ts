import { CliError } from '../errors.js';
import { EXIT_CODES, type ExitCode } from '../exit-codes.js';
import type { StopSignal } from '../io.js';

/** An eval file is invalid, or its data cannot be read. */
export class EvalFileError extends CliError {
  readonly code = 'CLI_EVAL_FILE';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param cure a sentence */
  constructor(file: string, problem: string, cure: string) {
    super(`${file}: ${problem}. ${cure}`);
  }
}

/** No file is named like `*.eval.ts`, or none matches the pattern. */
export class NoEvalFilesError extends CliError {
  readonly code = 'CLI_NO_EVAL_FILES';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(named: readonly string[]) {
    super(
      `No eval file found in ${named.join(', ')}. Name a file, a pattern, or a folder with files such as support.eval.ts.`,
    );
  }
}

/** Neither the project nor Node can load a TypeScript eval file. */
export class TypeScriptLoaderMissingError extends CliError {
  readonly code = 'CLI_TYPESCRIPT_LOADER_MISSING';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(file: string) {
    super(
      `${file} cannot be loaded: the project has no tsx, @swc-node/register or ts-node, and Node ${process.versions.node} does not run TypeScript. Install one: npm i -D tsx.`,
    );
  }
}

/** The data of an eval file has no item. */
export class NothingToEvaluateError extends CliError {
  readonly code = 'CLI_NOTHING_TO_EVALUATE';
  override readonly exitCode = EXIT_CODES.nothingToReplay;

  constructor(file: string, warnings: readonly string[] = []) {
    super([`${file}: data has no items.`, ...warnings, 'Add items, or widen the selection.'].join(' '));
  }
}

/** An evaluation ended before all of its items were evaluated. */
export class EvalInterruptedError extends CliError {
  readonly code = 'CLI_EVAL_INTERRUPTED';
  override readonly exitCode: ExitCode;

  constructor(file: string, signal: StopSignal | undefined) {
    super(`${file}: the evaluation ended early. Run the command again.`);
    this.exitCode = signal === undefined ? EXIT_CODES.failure : EXIT_CODES[signal];
  }
}

/** Some of several eval files failed. Their errors were printed before. */
export class EvalsFailedError extends CliError {
  readonly code = 'CLI_EVALS_FAILED';
  override readonly exitCode: ExitCode;

  /** The exit code is the most severe one of `failed`. */
  constructor(failed: readonly { readonly file: string; readonly exitCode: ExitCode }[], total: number) {
    super(`${failed.length} of ${total} eval files failed: ${failed.map(({ file }) => file).join(', ')}.`);
    const codes = new Set(failed.map(({ exitCode }) => exitCode));
    this.exitCode = MOST_SEVERE_FIRST.find((code) => codes.has(code)) ?? EXIT_CODES.failure;
  }
}

/** A file that could not be evaluated is more severe than one that failed its gate. */
const MOST_SEVERE_FIRST: readonly ExitCode[] = [
  EXIT_CODES.SIGINT,
  EXIT_CODES.SIGTERM,
  EXIT_CODES.failure,
  EXIT_CODES.usage,
  EXIT_CODES.unreachable,
  EXIT_CODES.nothingToReplay,
  EXIT_CODES.gateFailed,
];
