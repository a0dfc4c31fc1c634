/** Where text goes: a stream of the process, or a test's own. */
export interface TextSink {
  write(text: string): unknown;
  /** A terminal, on which a line can be drawn over. */
  readonly isTTY?: boolean | undefined;
  /** Of a terminal, in characters. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /**
   * Draws lines in place of those that it drew before, on a terminal. What an application prints comes above them.
   *
   * @param block without a line end; empty to erase what was drawn
   */
  redraw?(block: string): void;
}

/** Signals that ask a command to stop. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

/** A test run of this process, as far as it is. */
export interface ReportedRun {
  readonly testRunId: string;
  readonly status: 'running' | 'finished' | 'interrupted';
}

/** Commands that run code of an application, each in a supervised process. */
export const SUPERVISED_COMMANDS = ['replay', 'rescore', 'eval'] as const;

export type SupervisedCommand = (typeof SUPERVISED_COMMANDS)[number];

/** All that the command touches of its process. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when the person asks a running command to stop; `bin` means SIGINT and SIGTERM. */
  untilStopped(): Promise<StopSignal>;
  /** Asks a person at a terminal, yes or no. Resolves to `undefined` where there is none. */
  confirm(question: string): Promise<boolean | undefined>;
  /**
   * Readies the process for code of an application: sets variables for it, lets it print to stderr, so that stdout holds
   * the command's own output alone, and ends the process after the command even where that code keeps it alive.
   */
  hostApplication(env: Readonly<Record<string, string>>): void;
  /** Keeps where the test run can be found when code of the application ends the process. */
  reportRun?(run: ReportedRun): void;
}
