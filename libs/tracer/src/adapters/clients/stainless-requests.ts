import { observeResult } from '../../recording/result/observe-result.js';
import { AnsweredRequest } from './answered-request.js';
import type { RequestKind } from './call-model.js';
import { followRequest, isLazyRequest } from './follow-request.js';

/** The clients of OpenAI and Anthropic, and of those who speak like them, are made by one generator, Stainless. */
export const STAINLESS_REQUESTS: RequestKind = {
  follow(given, recording) {
    if (!isLazyRequest(given)) return observeResult(recording.span, given);
    followRequest(given, recording);
    return given;
  },
  answered: (outcome, call) => AnsweredRequest.of(outcome, call),
};
