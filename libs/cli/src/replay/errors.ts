import { CliError, errorCode, describeCause } from '../errors.js';
import { EXIT_CODES, type ExitCode } from '../exit-codes.js';
import type { ReportedRun, StopSignal, SupervisedCommand } from '../io.js';

/** The entry module does not exist, or throws while it loads. */
export class EntryNotLoadedError extends CliError {
  readonly code = 'CLI_ENTRY_NOT_LOADED';

  constructor(path: string, options: { cause: unknown }) {
    const { cause } = options;
    const problem = cause instanceof Error ? loadingProblem(cause) : describeCause(cause);
    super(`${path} cannot be loaded: ${problem}. ${loadingCure(errorCode(cause), path)}`, options);
  }
}

/** The module does not export what to replay, or several exports match. */
export class EntryExportError extends CliError {
  readonly code = 'CLI_ENTRY_EXPORT';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param cure a sentence */
  constructor(path: string, problem: string, cure: string) {
    super(`${path} ${problem}. ${cure}`);
  }
}

/** No provider or controller has the method, or several classes with that name do. */
export class MethodNotFoundError extends CliError {
  readonly code = 'CLI_METHOD_NOT_FOUND';
  override readonly exitCode = EXIT_CODES.usage;

  /** @param traced traced methods, as `Class.method` */
  constructor(name: string, found: number, traced: readonly string[]) {
    const there = traced.length > 0 ? `Traced methods: ${traced.join(', ')}.` : 'It has no traced methods.';
    super(
      found === 0
        ? `No provider or controller of the application has ${name}. ${there}`
        : `${found} classes of the application have ${name}. Export a Nest module that imports only one of them.`,
    );
  }
}

/** The application lacks the Dacapo package that a replay needs. */
export class TracerNotFoundError extends CliError {
  readonly code = 'CLI_TRACER_NOT_FOUND';

  constructor(packageName: '@dacapo/tracer' | '@dacapo/nestjs', entry: string) {
    super(
      packageName === '@dacapo/nestjs'
        ? `The Nest module of ${entry} imports no TracerModule. Import TracerModule.forRoot() of @dacapo/nestjs in it.`
        : `@dacapo/tracer is not installed where ${entry} is. Install it there: npm install @dacapo/tracer.`,
    );
  }
}

/** The Nest application failed to start for a replay. */
export class ApplicationFailedError extends CliError {
  readonly code = 'CLI_APPLICATION_FAILED';

  constructor(entry: string, options: { cause: unknown }) {
    super(
      `The application of ${entry} did not start: ${firstSentence(options.cause)}. Set the environment variables that it needs. DACAPO_DEBUG=1 shows the stack.`,
      options,
    );
  }
}

/** The selection of a replay matches no call. */
export class NothingToReplayError extends CliError {
  readonly code = 'CLI_NOTHING_TO_REPLAY';
  override readonly exitCode = EXIT_CODES.nothingToReplay;

  constructor(skipped: Readonly<Record<string, number>>, warnings: readonly string[]) {
    const left = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
    const why = left.length > 0 ? ` (skipped: ${left.join(', ')})` : '';
    super(
      warnings.length > 0
        ? `Nothing to replay. ${warnings.join(' ')}`
        : `Nothing to replay: the selection has no calls${why}. Widen it, or check --url and the account of the API key.`,
    );
  }
}

/** A signal arrived while the command closed the application or wrote reports. The run itself is finished. */
export class SignalAtEndError extends CliError {
  readonly code = 'CLI_SIGNAL_AT_END';
  override readonly exitCode: ExitCode;

  constructor(testRunId = '', signal: StopSignal) {
    super(
      `${signal} arrived before the command ended. Test run ${testRunId} is finished: open its page, or start a new run.`,
    );
    this.exitCode = EXIT_CODES[signal];
  }
}

/** The report of a replay could not be printed: stdout was closed, or its disk is full. */
export class ReportNotPrintedError extends CliError {
  readonly code = 'CLI_REPORT_NOT_PRINTED';

  constructor(options: { cause: unknown }) {
    super(
      `The report could not be printed (${describeCause(options.cause)}). Keep stdout open until the command ends.`,
      options,
    );
  }
}

/** The process of a replay or an evaluation ended before it reported success, or failed after that. */
export class ReplayProcessEndedError extends CliError {
  readonly code = 'CLI_REPLAY_PROCESS_ENDED';
  override readonly exitCode: ExitCode;

  constructor(
    {
      command,
      code,
      signal,
      run,
      isConfirmed,
    }: {
      readonly command: SupervisedCommand;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly run: ReportedRun | undefined;
      /** Whether it had reported success. */
      readonly isConfirmed: boolean;
    },
    exitCode: ExitCode,
  ) {
    const ended = signal === null ? `exited with ${code ?? 'no code'}` : `was ended by ${signal}`;
    super(`The ${command} process ${ended} ${describeProgress(command, run, isConfirmed)}`);
    this.exitCode = exitCode;
  }
}

/** The process of a replay could not be started. */
export class ReplayNotStartedError extends CliError {
  readonly code = 'CLI_REPLAY_NOT_STARTED';

  constructor(options: { cause: unknown }) {
    super(
      `The process of the replay could not be started (${describeCause(options.cause)}). Free memory or processes, then try again.`,
      options,
    );
  }
}

/** A run ended before all of its calls were replayed and reported. */
export class RunInterruptedError extends CliError {
  readonly code = 'CLI_RUN_INTERRUPTED';
  override readonly exitCode: ExitCode;

  constructor(testRunId: string, signal: StopSignal | undefined, isResumable = true) {
    const cure = isResumable ? `Run the same command with --resume ${testRunId}` : 'Start it again';
    super(`The run ended early. ${cure}.`);
    this.exitCode = signal === undefined ? EXIT_CODES.failure : EXIT_CODES[signal];
  }
}

/** Live model calls cost more than the run may cost, or nobody knows what they cost. */
export class BudgetExceededError extends CliError {
  readonly code = 'CLI_BUDGET_EXCEEDED';

  /** @param costs a clause */
  constructor(costs: string, maxUsd: number) {
    super(
      `The run was stopped: ${costs}, and it may cost $${maxUsd}. Replay fewer calls, let less run live, or raise the limit (--max-usd, or replay.maxUsd in dacapo.config.json).`,
    );
  }
}

function describeProgress(
  command: SupervisedCommand,
  run: ReportedRun | undefined,
  isConfirmed: boolean,
): string {
  const cause = 'The application ended it: look for process.exit(), an uncaught error, or a lack of memory.';
  if (run === undefined) return `before a test run began. ${cause}`;
  const { testRunId, status } = run;
  if (command === 'eval')
    return `${isConfirmed ? 'after the report' : 'before it reported the result'}. ${cause} Then run the command again.`;
  if (isConfirmed) return `after the report. ${cause} Test run ${testRunId} is finished; start a new run.`;
  if (status === 'finished')
    return `before it reported the result. ${cause} Test run ${testRunId} is finished: open its page, or start a new run.`;
  return `before the service confirmed the result. ${cause} Resume with the same command and --resume ${testRunId}.`;
}

/** The first line, plus the second if it has the reason, plus the place of a syntax error, which only the stack has. */
function loadingProblem({ message, stack = '' }: Error): string {
  const [first = '', second = ''] = message.split('\n');
  const place = /^(?:file:\/\/)?((?:[A-Za-z]:\\|\/).+:\d+)\r?\n/.exec(stack)?.[1];
  const text = first.endsWith(':') ? `${first} ${second}` : first;
  return `${text.trim().replace(/\.+:?(?= |$)/, '')}${place === undefined ? '' : ` at ${place}`}`;
}

function loadingCure(code: string | undefined, path: string): string {
  switch (code) {
    case 'ENOENT': {
      const [module = path, exported] = path.split('#');
      return exported === undefined
        ? 'Name a compiled module that exists.'
        : `Name the module alone, and its export with --export: ${module} --export ${exported}.`;
    }
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return `Compile it, or load TypeScript directly: NODE_OPTIONS='--import tsx' dacapo replay ${path}.`;
    case 'ERR_MODULE_NOT_FOUND':
    case 'MODULE_NOT_FOUND':
      return 'Build the application and install what it imports.';
    default:
      return 'Fix the module; DACAPO_DEBUG=1 shows the stack.';
  }
}

function firstSentence(error: unknown): string {
  const text = error instanceof Error ? error.message : describeCause(error);
  return text.trim().replace(/\.$/, '');
}
