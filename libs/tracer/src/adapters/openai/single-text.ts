import { toMembers } from '@dacapo/protocol';
import { textPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { readUsage } from './usage.js';

/** Reads requests that have one text, under `field`. */
export function singleText(field: string): ModelReader {
  return {
    // The input of an embedding may be tokens, which are numbers.
    prompt: ({ [field]: asked }) => textPrompt(asked),
    answer: readFacts,
    gather: () => new EventGatherer(),
  };
}

function readFacts(answer: unknown): AnswerFacts {
  const { usage, model } = toMembers(answer);
  return { usage: readUsage(usage), facts: { responseModel: model } };
}

/** The last event of a streamed transcription or image has the complete result. */
class EventGatherer implements AnswerGatherer {
  private text = '';
  private last: unknown;

  add(event: unknown): boolean {
    const { type, delta } = toMembers(event);
    const isPart = /delta|partial/.test(String(type));
    if (typeof delta === 'string') this.text += delta;
    if (!isPart) this.last = event;
    return isPart;
  }

  answer(): unknown {
    return this.last ?? { text: this.text };
  }
}
