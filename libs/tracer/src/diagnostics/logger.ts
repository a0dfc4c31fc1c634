/** Where the tracer writes its few lines. Nest's `Logger` and `console` fit. */
export interface TracerLogger {
  debug?(message: string): void;
  warn(message: string): void;
}

export const consoleLogger: TracerLogger = {
  warn: (message) => {
    console.warn(`[dacapo] ${message}`);
  },
};
