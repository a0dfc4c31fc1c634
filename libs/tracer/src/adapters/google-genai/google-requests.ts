import type { AnyFunction } from '../../recording/span-definition.js';
import { countingFetch, type Fetch, seeAttempt } from '../clients/attempts.js';
import type { RequestKind } from '../clients/call-model.js';
import { StreamReading } from '../clients/follow-stream.js';
import { type ModelRecording, signalsOf } from '../clients/model-recording.js';
import { untilAborted } from '../clients/until-aborted.js';
import { withMembers } from '../../recording/result/member-proxy.js';
import { hasMethod } from '../../recording/result/result-kinds.js';
import { replaceMethod } from '../clients/replace-method.js';
import { findPackageOf } from '../package-copies.js';
import { type Fields, fieldsOf, isFields } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';

/** The requests of this client are promises that are no more than that, of an answer or a generator of answers. */
export const GOOGLE_REQUESTS: RequestKind = {
  seeAttempts(client) {
    const { apiClient } = fieldsOf(client);
    const { apiCall } = fieldsOf(apiClient);
    if (!isFields(apiClient) || typeof apiCall !== 'function' || seen.has(apiClient)) return;
    seen.add(apiClient);
    replaceMethod(apiClient, 'apiCall', (fn, self, args) => sendSeen(apiClient, fn, self, args));
  },
  follow: (given, recording) =>
    Promise.resolve(given).then(
      (answer) => {
        if (isGenerator(answer)) return followGenerator(answer, recording);
        recording.succeed(answer);
        return answer;
      },
      (error: unknown) => {
        recording.fail(error);
        throw error;
      },
    ),
  abortError: abortOfFetch,
  answered: (outcome, { method, client, args }) => {
    const revive = (recorded: unknown, first?: unknown): unknown =>
      method.revived?.(recorded, first) ?? recorded;
    const given = outcome.then(
      (answer) =>
        isGenerator(answer) ? revivedEach(readUntilAborted(answer, args), revive, client) : revive(answer),
      (error: unknown) => {
        throw revivedError(error, client);
      },
    );
    // Nobody may wait for it.
    given.catch(() => undefined);
    return given;
  },
};

/** The objects, each shared by all parts of a client, that send its requests. */
const seen = new WeakSet<object>();
/** Where the method that sends a request takes what each try is sent with; older versions have no such place. */
const FETCH_AT = 5;

function sendSeen(apiClient: Fields, fn: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
  const send = (given: readonly unknown[]): unknown => Reflect.apply(fn, self, given);
  if (fn.length > FETCH_AT) {
    const given = [...args];
    given[FETCH_AT] = countingFetch((args[FETCH_AT] ?? fetch) as Fetch);
    return send(given);
  }
  const { httpOptions } = fieldsOf(apiClient['clientOptions']);
  const isOneTry = fieldsOf(httpOptions)['retryOptions'] === undefined;
  return seeAttempt(() => send(args), isOneTry);
}

function isGenerator(answer: unknown): answer is AsyncGenerator {
  return typeof answer === 'object' && answer !== null && hasMethod(answer, Symbol.asyncIterator);
}

function followGenerator(generator: AsyncGenerator, recording: ModelRecording): AsyncGenerator {
  const reading = new StreamReading(recording, () => recording.isAborted(undefined));
  return withMembers(generator, { overrides: reading.stepsOf(generator) });
}

/** The client aborts by a controller of its own, whatever the reason of the application's signal is. */
function abortOfFetch(): unknown {
  return new DOMException('This operation was aborted', 'AbortError');
}

function readUntilAborted(answer: AsyncIterable<unknown>, args: readonly unknown[]): AsyncIterable<unknown> {
  return untilAborted(answer, signalsOf(args), () => {
    throw abortOfFetch();
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
  return withVendorClass(error, findPackageOf(client, '@google/genai')?.exports);
}
