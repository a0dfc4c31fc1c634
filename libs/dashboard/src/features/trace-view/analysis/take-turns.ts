const LONGEST_TURN_MS = 20;

/** Returns a function that lets the browser draw and answer input, when the work since it last did so took long. */
export function takeTurns(): () => Promise<void> {
  let startedMs = performance.now();
  return async () => {
    if (performance.now() - startedMs < LONGEST_TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    startedMs = performance.now();
  };
}
