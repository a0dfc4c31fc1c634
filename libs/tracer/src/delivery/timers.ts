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
  nowMs: () => performance.now(),
  start: (task, delayMs) => {
    const timeout = setTimeout(task, delayMs).unref();
    return {
      cancel: () => {
        clearTimeout(timeout);
      },
    };
  },
};
