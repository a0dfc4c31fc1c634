/** A stream of the process, or a test's replacement. */
export interface TextSink {
  write(text: string): unknown;
  /** Whether it is a terminal, where lines can be redrawn. */
  readonly isTTY?: boolean | undefined;
  /** Terminal width in characters. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /**
   * Replaces the lines that it drew before, on a terminal. The application's output appears above them.
   *
   * @param block without a line end; empty to erase what was drawn
   */
  redraw?(block: string): void;
}

/** Signals that ask a command to stop. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The state of a test run of this process. */
export interface ReportedRun {
  readonly testRunId: string;
  readonly status: 'running' | 'finished' | 'interrupted';
}

/** Commands that run code of an application, each in a supervised process. */
export const SUPERVISED_COMMANDS = ['replay', 'rescore', 'eval'] as const;

export type SupervisedCommand = (typeof SUPERVISED_COMMANDS)[number];

/** Everything of its process that a command uses. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when the user asks the command to stop, by SIGINT or SIGTERM. */
  untilStopped(): Promise<StopSignal>;
  /** Asks a yes-or-no question. Resolves to `undefined` without a terminal. */
  confirm(question: string): Promise<boolean | undefined>;
  /** Asks for a line of text. Resolves to `undefined` without a terminal, and to an empty line at the end of input. */
  ask(question: string): Promise<string | undefined>;
  /**
   * Prepares the process to run an application: sets variables, redirects its output to stderr, so that stdout has only the
   * command's output, and ends the process after the command even if the application keeps it alive.
   */
  hostApplication(env: Readonly<Record<string, string>>): void;
  /** Reports the test run to the supervisor, which names it when the application ends the process. */
  reportRun?(run: ReportedRun): void;
}
