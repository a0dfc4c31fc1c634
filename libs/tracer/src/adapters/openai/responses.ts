import type { AnswerFacts, AnswerGatherer, ModelMethod } from '../clients/model-method.js';
import { formatPrompt } from '../prompt.js';
import { fieldsOf } from '../readers.js';
import { messagesOf } from './messages.js';
import { readUsage } from './usage.js';

/** `responses.create`, through which `parse` and `stream` go as well. */
export const RESPONSES: ModelMethod = {
  path: ['responses', 'create'],
  prompt: ({ instructions, input }) =>
    formatPrompt([
      ...(typeof instructions === 'string' ? [{ role: 'system', text: instructions }] : []),
      ...messagesOf(input),
    ]),
  answer: responseFacts,
  gather: () => new ResponseGatherer(),
};

/** Makes a long conversation a short one. */
export const COMPACT: ModelMethod = { ...RESPONSES, path: ['responses', 'compact'] };

function responseFacts(answer: unknown): AnswerFacts {
  const { usage, model, status, incomplete_details, id, service_tier } = fieldsOf(answer);
  return {
    usage: readUsage(usage),
    facts: {
      finishReason: fieldsOf(incomplete_details)['reason'] ?? status,
      responseModel: model,
      responseId: id,
      serviceTier: service_tier,
    },
  };
}

class ResponseGatherer implements AnswerGatherer {
  private content = '';
  private response: unknown;

  add(chunk: unknown): boolean {
    const { type, delta, response } = fieldsOf(chunk);
    this.response = response ?? this.response;
    if (type === 'response.output_text.delta' && typeof delta === 'string') this.content += delta;
    return typeof type === 'string' && type.endsWith('.delta');
  }

  told(): AnswerFacts {
    const { usage, facts } = responseFacts(this.response);
    return {
      usage,
      facts,
      content: { message: { role: 'assistant', content: this.content } },
    };
  }
}
