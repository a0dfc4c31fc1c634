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

/** The promise of clients made by Stainless. It reads the response when its result is first requested. */
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

/** The progress of a request, shared by all promises that were derived from it. */
interface Progress {
  isRead: boolean;
  hasCome: boolean;
}

/**
 * Follows a request by the two steps of every way to its answer: receiving the response, and reading it. The caller keeps the same
 * promise, including its private members. An unhandled failure stays unhandled.
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

/** Records the server's answer. Helpers may derive other results from it later. */
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

/** A caller that requests the response reads it itself, so the recording of the request ends here. */
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
      // The caller handles the failure by the derived promise.
      request.responsePromise.catch(() => undefined);
    }
    return derived;
  });
}

/** Code that reads the response itself gets the followed one. */
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
