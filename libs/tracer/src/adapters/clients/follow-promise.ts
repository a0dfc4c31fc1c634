import type { ModelRecording } from './model-recording.js';

/**
 * Follows a promise of an answer until it settles.
 *
 * @param follow follows the answer, and returns what the caller gets; `undefined`: the answer itself
 */
export function followPromise(
  promise: Promise<unknown>,
  recording: ModelRecording,
  follow: (answer: unknown) => unknown,
): Promise<unknown> {
  return promise.then(
    (answer) =>
      recording.whenReadable(() => recording.guard('following an answer', () => follow(answer)) ?? answer),
    (error: unknown) => {
      recording.fail(error);
      throw error;
    },
  );
}
