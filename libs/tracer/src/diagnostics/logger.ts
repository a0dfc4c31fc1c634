/** The logger for the tracer's few lines. Nest's `Logger` and `console` can be passed. */
export interface TracerLogger {
  debug?(message: string): void;
  warn(message: string): void;
}

export const consoleLogger: TracerLogger = {
  warn: (message) => {
    console.warn(`[dacapo] ${message}`);
  },
};
