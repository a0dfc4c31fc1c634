import { types } from 'node:util';
import { toMembers } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { hasMethod } from '../../recording/result/result-kinds.js';
import { findSentRequest, readHead, readRequestId } from './attempts.js';
import { followPromise } from './follow-promise.js';
import { followStream, isModelStream } from './follow-stream.js';
import type { ModelRecording } from './model-recording.js';
import { defineMember } from './replace-method.js';

type Step = (...args: unknown[]) => unknown;

/** The promise that clients made by Stainless give: it reads the response when it is asked what came. */
export interface LazyRequest {
  responsePromise: Promise<unknown>;
  parseResponse: Step;
  asResponse: () => Promise<unknown>;
  _thenUnwrap?: (transform: Step) => object;
  _responseProps?: () => Promise<unknown>;
  parse?: () => Promise<unknown>;
}

export function isLazyRequest(value: unknown): value is LazyRequest {
  const { responsePromise, parseResponse, asResponse } = toMembers(value);
  return (
    types.isPromise(responsePromise) &&
    typeof parseResponse === 'function' &&
    typeof asResponse === 'function'
  );
}

/** How far a request has come, whichever of the promises that were derived from it is asked. */
interface Progress {
  isRead: boolean;
  hasCome: boolean;
}

/**
 * Follows a request by the two steps that each way to its answer goes through: the response, and its reading. The caller
 * keeps the very promise, with all that is private in it; a failure that nobody handles is as unhandled as before.
 */
export function followRequest(
  request: LazyRequest,
  recording: ModelRecording,
  progress: Progress = { isRead: false, hasCome: false },
): void {
  const { parseResponse } = request;
  request.responsePromise = request.responsePromise.then(
    (response) => response,
    (error: unknown) =>
      recording.whenReadable(() => {
        recording.fail(error);
        throw error;
      }),
  );
  request.parseResponse = async (...args) => {
    progress.isRead = true;
    let answer: unknown;
    try {
      // Clients read the clock here for the rest of their timeout, and may send the request again.
      answer = await contextStorage.run(recording.span, () => Reflect.apply(parseResponse, request, args));
    } catch (error) {
      recording.fail(error);
      throw error;
    }
    return recording.whenReadable(() => {
      followAnswerOnce(answer, args.at(-1), recording, progress);
      return answer;
    });
  };
  followResponse(request, recording, progress);
  followDerived(request, recording, progress);
  followProps(request);
}

/** Follows a method that sends several requests, and so returns a plain promise. */
export function followPlainPromise(promise: Promise<unknown>, recording: ModelRecording): Promise<unknown> {
  return followPromise(promise, recording, (answer) => {
    followAnswerOnce(answer, undefined, recording, { isRead: true, hasCome: false });
  });
}

/** The answer as the server gave it; what helpers make of it comes later, and is theirs. */
function followAnswerOnce(
  answer: unknown,
  props: unknown,
  recording: ModelRecording,
  progress: Progress,
): void {
  if (progress.hasCome) return;
  progress.hasCome = true;
  recording.guard('following an answer', () => {
    recording.requestId ??=
      findSentRequest(recording.span)?.requestId ?? readRequestId(toMembers(props)['response']);
    if (isModelStream(answer)) followStream(answer, recording);
    else if (isResponse(answer)) {
      const isFollowed = recording.reader?.followBody?.(answer, recording) === true;
      if (!isFollowed) recording.handOver({ response: readHead(answer) });
    } else recording.succeed(answer);
  });
}

/** Who asks for the response itself reads it himself: then the request has ended for us. */
function followResponse(request: LazyRequest, recording: ModelRecording, progress: Readonly<Progress>): void {
  const { asResponse } = request;
  defineMember(request, 'asResponse', async () => {
    const response = await Reflect.apply(asResponse, request, []);
    if (!progress.isRead) {
      recording.requestId ??= readRequestId(response);
      recording.handOver({ response: readHead(response) });
    }
    return response;
  });
}

function followDerived(request: LazyRequest, recording: ModelRecording, progress: Progress): void {
  const { _thenUnwrap } = request;
  if (_thenUnwrap === undefined) return;
  defineMember(request, '_thenUnwrap', (transform: Step) => {
    const seen: Step = (answer, props) => {
      followAnswerOnce(answer, props, recording, progress);
      return transform(answer, props);
    };
    const derived = Reflect.apply(_thenUnwrap, request, [seen]);
    if (isLazyRequest(derived)) {
      followRequest(derived, recording, progress);
      // Whoever handles the derived one handles the failure.
      request.responsePromise.catch(() => undefined);
    }
    return derived;
  });
}

/** What reads the response on its own is given what is followed. */
function followProps(request: LazyRequest): void {
  const { _responseProps, parse } = request;
  if (_responseProps === undefined || parse === undefined) return;
  defineMember(request, '_responseProps', async () => {
    const props = toMembers(await Reflect.apply(_responseProps, request, []));
    if (toMembers(props['options'])['stream'] !== true) return props;
    const stream = await Reflect.apply(parse, request, []);
    if (!isModelStream(stream)) return props;
    const { propsOfStream } = await import('./stream-props.js');
    return propsOfStream(stream, props);
  });
}

function isResponse(answer: unknown): answer is object {
  return typeof answer === 'object' && answer !== null && hasMethod(answer, 'arrayBuffer');
}
