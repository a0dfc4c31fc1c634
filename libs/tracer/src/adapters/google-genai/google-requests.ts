import type { AnyFunction } from '../../recording/span-definition.js';
import { countingFetch, type Fetch, seeAttempt } from '../clients/attempts.js';
import type { RequestKind } from '../clients/call-model.js';
import { StreamReading } from '../clients/follow-stream.js';
import type { ModelRecording } from '../clients/model-recording.js';
import { withMembers } from '../../recording/result/member-proxy.js';
import { hasMethod } from '../../recording/result/result-kinds.js';
import { replaceMethod } from '../clients/replace-method.js';
import { type Fields, toFields, isFields } from '../readers.js';

/** The requests of this client are promises that are no more than that, of an answer or a generator of answers. */
export const GOOGLE_REQUESTS: RequestKind = {
  seeAttempts(client) {
    const { apiClient } = toFields(client);
    const { apiCall } = toFields(apiClient);
    if (!isFields(apiClient) || typeof apiCall !== 'function' || seen.has(apiClient)) return;
    seen.add(apiClient);
    replaceMethod(apiClient, 'apiCall', (fn, self, args) => sendSeen(apiClient, fn, self, args));
  },
  follow: (result, recording) =>
    Promise.resolve(result).then(
      (answer) =>
        recording.whenReadable(() => {
          if (isGenerator(answer)) return followGenerator(answer, recording);
          recording.succeed(answer);
          return answer;
        }),
      (error: unknown) => {
        recording.fail(error);
        throw error;
      },
    ),
  answers: ({ google }) => google,
};

/** The objects, each shared by all parts of a client, that send its requests. */
const seen = new WeakSet<object>();
/** Where the method that sends a request takes what each try is sent with; older versions have no such place. */
const FETCH_AT = 5;

function sendSeen(apiClient: Fields, fn: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
  const send = (result: readonly unknown[]): unknown => Reflect.apply(fn, self, result);
  if (fn.length > FETCH_AT) {
    const result = [...args];
    result[FETCH_AT] = countingFetch((args[FETCH_AT] ?? fetch) as Fetch);
    return send(result);
  }
  const { httpOptions } = toFields(apiClient['clientOptions']);
  const isOneTry = toFields(httpOptions)['retryOptions'] === undefined;
  return seeAttempt(() => send(args), isOneTry);
}

export function isGenerator(answer: unknown): answer is AsyncGenerator {
  return typeof answer === 'object' && answer !== null && hasMethod(answer, Symbol.asyncIterator);
}

function followGenerator(generator: AsyncGenerator, recording: ModelRecording): AsyncGenerator {
  const reading = new StreamReading(recording, () => recording.isAborted(undefined));
  return withMembers(generator, { overrides: reading.wrapSteps(generator) });
}
