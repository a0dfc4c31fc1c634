import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { AnyFunction } from '../../recording/span-definition.js';
import { countingFetch, type Fetch, hearResponse, seeAttempt } from '../clients/attempts.js';
import type { RequestKind } from '../clients/call-model.js';
import { followPromise } from '../clients/follow-promise.js';
import { StreamReading } from '../clients/follow-stream.js';
import type { ModelRecording } from '../clients/model-recording.js';
import { withMembers } from '../../recording/result/member-proxy.js';
import { replaceMethod } from '../clients/replace-method.js';
import { isStream } from '../readers.js';

/** The requests of this client are plain promises of an answer or of a generator of answers. */
export const GOOGLE_REQUESTS: RequestKind = {
  seeAttempts(client) {
    const { apiClient } = toMembers(client);
    const { apiCall } = toMembers(apiClient);
    if (!hasMembers(apiClient) || typeof apiCall !== 'function' || seen.has(apiClient)) return;
    seen.add(apiClient);
    replaceMethod(apiClient, 'apiCall', (fn, self, args) => sendSeen(apiClient, fn, self, args));
  },
  follow(result, recording) {
    // A download returns no answer: the client writes the body of the response to a file.
    hearResponse(recording.span, (response) => {
      recording.guard('following a body', () => recording.reader?.followBody?.(response, recording));
    });
    return followPromise(Promise.resolve(result), recording, (answer) => {
      if (isStream(answer)) return followGenerator(answer, recording);
      recording.succeed(answer);
      return undefined;
    });
  },
  answers: ({ google }) => google,
};

/** The objects, each shared by all parts of a client, that send its requests. */
const seen = new WeakSet<object>();
/** Index of the argument with the `fetch` for each attempt; older versions do not have it. */
const FETCH_AT = 5;

function sendSeen(apiClient: Members, fn: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
  const send = (result: readonly unknown[]): unknown => Reflect.apply(fn, self, result);
  if (fn.length > FETCH_AT) {
    const result = [...args];
    result[FETCH_AT] = countingFetch((args[FETCH_AT] ?? fetch) as Fetch);
    return send(result);
  }
  const { httpOptions } = toMembers(apiClient['clientOptions']);
  const isOneTry = toMembers(httpOptions)['retryOptions'] === undefined;
  return seeAttempt(() => send(args), isOneTry);
}

function followGenerator(generator: AsyncIterable<unknown>, recording: ModelRecording): object {
  const reading = new StreamReading(recording, () => recording.isAborted(undefined));
  return withMembers(generator, { overrides: reading.wrapSteps(generator[Symbol.asyncIterator]()) });
}
