import type { AnswerKind } from '../clients/answer-kind.js';
import { findSignals } from '../clients/model-recording.js';
import { untilAborted } from '../clients/until-aborted.js';
import { findPackage } from '../package-copies.js';
import { withVendorClass } from '../vendor-errors.js';
import { isGenerator } from './google-requests.js';

export const ANSWERED_GOOGLE: AnswerKind = {
  abortError: createAbortError,
  answered: (outcome, { method, client, args }) => {
    const revive = (recorded: unknown, first?: unknown): unknown =>
      method.reader.current?.revived?.(recorded, first) ?? recorded;
    const answered = outcome.then(
      (answer) =>
        isGenerator(answer) ? revivedEach(readUntilAborted(answer, args), revive, client) : revive(answer),
      (error: unknown) => {
        throw revivedError(error, client);
      },
    );
    // Nobody may wait for it.
    answered.catch(() => undefined);
    return answered;
  },
};

/** The client aborts by a controller of its own, whatever the reason of the application's signal is. */
function createAbortError(): unknown {
  return new DOMException('This operation was aborted', 'AbortError');
}

function readUntilAborted(answer: AsyncIterable<unknown>, args: readonly unknown[]): AsyncIterable<unknown> {
  return untilAborted(answer, findSignals(args), () => {
    throw createAbortError();
  });
}

async function* revivedEach(
  chunks: AsyncIterable<unknown>,
  revive: (recorded: unknown, first: unknown) => unknown,
  client: object,
): AsyncGenerator {
  let first: unknown;
  try {
    for await (const chunk of chunks) {
      first ??= chunk;
      yield revive(chunk, first);
    }
  } catch (error) {
    throw revivedError(error, client);
  }
}

/** The package exports the class of its errors beside that of the client. */
function revivedError(error: unknown, client: object): unknown {
  return withVendorClass(error, findPackage(client, '@google/genai')?.exports);
}
