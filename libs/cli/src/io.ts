/** Where text goes: a stream of the process, or a test's own. */
export interface TextSink {
  write(text: string): unknown;
}

/** All that the command touches of its process. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves when the person asks a running service to stop; `bin` means SIGINT and SIGTERM. */
  untilStopped(): Promise<void>;
}
