import { answeredQuery } from './claude/answered-query.js';
import { ANSWERED_GOOGLE } from './google-genai/answered-google.js';
import { findPackage } from './package-copies.js';
import { answeredPlain } from './thin-clients/answered-plain.js';
import { newAbortError, withVendorClass } from './vendor-errors.js';
import { answerFiles, answerModel } from './clients/answer-model.js';
import { AnsweredRequest } from './clients/answered-request.js';
import type { AnswerKind, ClientAnswers } from './clients/answer-kind.js';

const STAINLESS: AnswerKind = {
  abortError: newAbortError,
  answered: (outcome, call) => AnsweredRequest.of(outcome, call),
};

const CLAUDE: AnswerKind = { answered: answeredQuery };

/** Applications that only record do not load it (docs/adr/0061). */
export const CLIENT_ANSWERS: ClientAnswers = {
  answer: answerModel,
  answerFiles,
  stainless: STAINLESS,
  google: ANSWERED_GOOGLE,
  plain: answeredPlain,
  claude: CLAUDE,
  mcpError,
};

/** A recorded error of the Model Context Protocol. Version 1 has its class in another module than the client. */
function mcpError(client: object, error: unknown): unknown {
  const sdk = findPackage(client, '@modelcontextprotocol/sdk', './client/index.js');
  const one = findPackage(client, '@modelcontextprotocol/client');
  return withVendorClass(error, sdk?.load('@modelcontextprotocol/sdk', './types.js'), one?.exports);
}
