import type { UsageRecord } from '@dacapo/protocol';
import { type AnswerFacts, type AnswerGatherer, type ModelMethod } from '../clients/model-method.js';
import type { AnsweredCall } from '../clients/call-model.js';
import { OPENAI } from '../openai/openai.js';
import { responseVerdict } from '../openai/responses.js';
import { readUsage } from '../openai/usage.js';
import { formatPrompt, textOfContent } from '../prompt.js';
import { type Fields, fieldsOf, fieldsWithout, isFields, text } from '../readers.js';
import { findPackageOf } from '../package-copies.js';
import { withVendorClass } from '../vendor-errors.js';
import type { ModelKind } from './model-kind.js';
import { generatedAnswer, promisedAnswer } from './request-kinds.js';

/** A `Model` of `@openai/agents`, whatever service it asks. */
export const AGENTS_MODEL: ModelKind = {
  isModel: ({ getResponse, getStreamedResponse }) =>
    typeof getResponse === 'function' && typeof getStreamedResponse === 'function',
  methodsOf: () => [
    {
      key: 'agents.getResponse',
      asked: askedOf,
      method: methodOf('getResponse'),
      kind: promisedAnswer({ error: revivedError }),
    },
    {
      key: 'agents.getStreamedResponse',
      asked: askedOf,
      method: methodOf('getStreamedResponse'),
      kind: generatedAnswer({ error: revivedError }),
    },
  ],
  makers: [],
  describe,
};

/** A `ModelProvider` sends nothing itself: the models that it gives do. */
export const AGENTS_PROVIDER: ModelKind = {
  isModel: ({ getModel }) => typeof getModel === 'function',
  methodsOf: () => [],
  makers: ['getModel'],
  describe: () => ({}),
};

function methodOf(name: string): ModelMethod {
  return {
    path: [name],
    prompt: promptOf,
    answer: factsOf,
    verdict: (answer) =>
      responseVerdict({ object: 'response', ...fieldsOf(fieldsOf(answer)['providerData']) }),
    recorded: recordedAnswer,
    gather: () => new EventGatherer(),
  };
}

/** How a request is traced, taken back or tried again is no part of the question. */
function askedOf([request]: readonly unknown[]): Fields {
  const { modelSettings, ...rest } = fieldsWithout(request, 'signal', 'tracing', '_internal');
  return { ...rest, modelSettings: fieldsWithout(modelSettings, 'retry', 'timeoutMs') };
}

/** Amounts are an instance of a class that adds them up, and are read by their names alone. */
function recordedAnswer(answer: unknown): unknown {
  const { usage } = fieldsOf(answer);
  return isFields(usage) ? { ...fieldsOf(answer), usage: { ...usage } } : answer;
}

function promptOf({ systemInstructions, input }: Fields): string | undefined {
  const items: readonly unknown[] = Array.isArray(input) ? input : [{ role: 'user', content: input }];
  const messages = items.flatMap((item) => {
    const { role, content } = fieldsOf(item);
    return typeof role === 'string' ? [{ role, text: textOfContent(content) }] : [];
  });
  return formatPrompt([
    ...(typeof systemInstructions === 'string' ? [{ role: 'system', text: systemInstructions }] : []),
    ...messages,
  ]);
}

/** The name of the model is private in some classes. The provider is known where the model shows the client that it asks. */
function describe(model: Fields): UsageRecord {
  const { _model: name, model: publicName, _client: client } = model;
  const isOpenAi = isFields(client) && OPENAI.isClient(client);
  return {
    ...text('model', name ?? publicName),
    ...(isOpenAi && text('provider', OPENAI.findProvider(client))),
  };
}

function factsOf(answer: unknown): AnswerFacts {
  const { usage, responseId, id } = fieldsOf(answer);
  return { usage: usageOf(usage), facts: { responseId: responseId ?? id } };
}

function usageOf(usage: unknown): UsageRecord {
  const { inputTokens, outputTokens, totalTokens, inputTokensDetails, outputTokensDetails } = fieldsOf(usage);
  return (
    readUsage({
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: totalTokens,
      input_tokens_details: detailsOf(inputTokensDetails),
      output_tokens_details: detailsOf(outputTokensDetails),
    }) ?? {}
  );
}

/** One object, or a list with one for each request. */
function detailsOf(details: unknown): unknown {
  return Array.isArray(details) ? (details as unknown[])[0] : details;
}

/** The last event has the whole response. */
class EventGatherer implements AnswerGatherer {
  private text = '';
  private response: unknown;

  add(event: unknown): boolean {
    const { type, response, delta } = fieldsOf(event);
    if (type === 'response_done') this.response = response;
    if (type === 'output_text_delta' && typeof delta === 'string') this.text += delta;
    return type === 'output_text_delta';
  }

  answer(): unknown {
    if (this.response !== undefined) return recordedAnswer(this.response);
    return { output: [{ role: 'assistant', content: [{ type: 'output_text', text: this.text }] }] };
  }
}

/** Errors come from the client that the model asks with, or from the package of the agents. */
function revivedError(error: unknown, { client: model }: AnsweredCall): unknown {
  const agents = findPackageOf(model, '@openai/agents');
  const { _client: client } = fieldsOf(model);
  return withVendorClass(error, fieldsOf(client).constructor, agents?.load('openai'), agents?.exports);
}
