import { type UsageRecord, type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { AnswerFacts, AnswerGatherer, ModelMethod, ModelReader } from '../clients/model-method.js';
import type { AnsweredCall } from '../clients/answer-kind.js';
import { loaded } from '../late.js';
import { OPENAI } from '../openai/openai.js';
import { conversationText } from '../openai-agents/conversation-text.js';
import { responseVerdict } from '../openai/responses.js';
import { readUsage } from '../openai/usage.js';
import { membersWithout, text } from '../readers.js';
import { findPackage } from '../package-copies.js';
import { withVendorClass } from '../vendor-errors.js';
import type { ModelKind } from './model-kind.js';
import { generatedAnswer, promisedAnswer } from './request-kinds.js';

/** A `Model` of `@openai/agents`, for any service. */
export const AGENTS_MODEL: ModelKind = {
  requests: [
    {
      key: 'agents.getResponse',
      recordedRequest,
      method: defineMethod('getResponse'),
      kind: promisedAnswer({ error: revivedError }),
    },
    {
      key: 'agents.getStreamedResponse',
      recordedRequest,
      method: defineMethod('getStreamedResponse'),
      kind: generatedAnswer({ error: revivedError }),
    },
  ],
  describe,
};

function defineMethod(name: string): ModelMethod {
  const reader: ModelReader = {
    prompt: ({ systemInstructions, input }) => conversationText(systemInstructions, input),
    answer: readFacts,
    verdict: (answer) =>
      responseVerdict({ object: 'response', ...toMembers(toMembers(answer)['providerData']) }),
    recorded: recordedAnswer,
    gather: () => new EventGatherer(),
  };
  return { path: [name], reader: loaded(reader) };
}

/** Tracing, cancellation and retries are not part of the request. */
function recordedRequest([request]: readonly unknown[]): Members {
  const { modelSettings, ...rest } = membersWithout(request, 'signal', 'tracing', '_internal');
  return { ...rest, modelSettings: membersWithout(modelSettings, 'retry', 'timeoutMs') };
}

/** Amounts are an instance of a class that adds them up. Only its named properties are read. */
function recordedAnswer(answer: unknown): unknown {
  const { usage } = toMembers(answer);
  return hasMembers(usage) ? { ...toMembers(answer), usage: { ...usage } } : answer;
}

/** The name of the model is private in some classes. The provider is known if the model exposes its client. */
function describe(model: Members): UsageRecord {
  const { _model: name, model: publicName, _client: client } = model;
  const isOpenAi = hasMembers(client) && OPENAI.isClient(client);
  return {
    ...text('model', name ?? publicName),
    ...(isOpenAi && text('provider', OPENAI.findProvider(client))),
  };
}

function readFacts(answer: unknown): AnswerFacts {
  const { usage, responseId, id } = toMembers(answer);
  return { usage: toUsage(usage), facts: { responseId: responseId ?? id } };
}

function toUsage(usage: unknown): UsageRecord {
  const { inputTokens, outputTokens, totalTokens, inputTokensDetails, outputTokensDetails } =
    toMembers(usage);
  return (
    readUsage({
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: totalTokens,
      input_tokens_details: firstDetails(inputTokensDetails),
      output_tokens_details: firstDetails(outputTokensDetails),
    }) ?? {}
  );
}

/** One object, or a list with one for each request. */
function firstDetails(details: unknown): unknown {
  return Array.isArray(details) ? (details as unknown[])[0] : details;
}

/** The last event has the whole response. */
class EventGatherer implements AnswerGatherer {
  private text = '';
  private response: unknown;

  add(event: unknown): boolean {
    const { type, response, delta } = toMembers(event);
    if (type === 'response_done') this.response = response;
    if (type === 'output_text_delta' && typeof delta === 'string') this.text += delta;
    return type === 'output_text_delta';
  }

  answer(): unknown {
    if (this.response !== undefined) return recordedAnswer(this.response);
    return { output: [{ role: 'assistant', content: [{ type: 'output_text', text: this.text }] }] };
  }
}

/** Errors come from the model's client or from the agents package. */
function revivedError(error: unknown, { client: model }: AnsweredCall): unknown {
  const agents = findPackage(model, '@openai/agents');
  const { _client: client } = toMembers(model);
  return withVendorClass(error, toMembers(client).constructor, agents?.load('openai'), agents?.exports);
}
