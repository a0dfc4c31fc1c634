/** Where the service says what it does. `console` is one. */
export abstract class CollectorLogger {
  abstract info(message: string): void;
  abstract warn(message: string): void;
  abstract error(message: string): void;
}

/** Warnings and errors to standard error; standard output stays free for the program that runs the service. */
export class StderrLogger extends CollectorLogger {
  info(): void {
    // Not worth a line of its own.
  }

  warn(message: string): void {
    process.stderr.write(`dacapo: ${message}\n`);
  }

  error(message: string): void {
    process.stderr.write(`dacapo: error: ${message}\n`);
  }
}
