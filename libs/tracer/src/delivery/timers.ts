/**
 * The functions as they were when this file was loaded: tests of an application may replace the global ones with fakes that run when
 * the test says so, or never.
 */
export const { setTimeout, clearTimeout, setImmediate } = process.getBuiltinModule('node:timers');
const nowMs = performance.now.bind(performance);

/** The clock and timers of delivery; a test passes its own. */
export interface Timers {
  /** Monotonic. */
  nowMs(): number;
  /** Runs `task` once. Never keeps the process alive. */
  start(task: () => void, delayMs: number): Timer;
}

export interface Timer {
  cancel(): void;
}

export const systemTimers: Timers = {
  nowMs,
  start: (task, delayMs) => {
    const timeout = setTimeout(task, delayMs).unref();
    return {
      cancel: () => {
        clearTimeout(timeout);
      },
    };
  },
};
