import type { AnswerFacts, AnswerGatherer, ModelMethod } from '../clients/model-method.js';
import { formatPrompt } from '../prompt.js';
import { fieldsOf, isFields } from '../readers.js';
import { messagesOf } from './messages.js';
import { readUsage } from './usage.js';

/** `chat.completions.create`, through which `parse`, `stream` and `runTools` go as well. */
export const CHAT: ModelMethod = {
  path: ['chat', 'completions', 'create'],
  prompt: ({ messages }) => formatPrompt(messagesOf(messages)),
  answer: completionFacts,
  gather: () => new ChatGatherer(),
};

/** The older endpoint, of a text and its continuation. */
export const COMPLETION: ModelMethod = {
  path: ['completions', 'create'],
  prompt: ({ prompt }) => formatPrompt(messagesOf(Array.isArray(prompt) ? prompt.join('\n') : prompt)),
  answer: completionFacts,
  gather: () => new ChatGatherer(),
};

function completionFacts(answer: unknown): AnswerFacts {
  const { usage, model, choices, system_fingerprint, service_tier } = fieldsOf(answer);
  const reasons = listOf(choices).map((choice) => fieldsOf(choice)['finish_reason']);
  return {
    usage: readUsage(usage),
    facts: {
      finishReason: reasons.length > 1 ? reasons : reasons[0],
      responseModel: model,
      systemFingerprint: system_fingerprint,
      serviceTier: service_tier,
    },
  };
}

interface GatheredChoice {
  content: string;
  refusal: string;
  finishReason: unknown;
  readonly calls: { name: string; arguments: string }[];
}

class ChatGatherer implements AnswerGatherer {
  private readonly choices: GatheredChoice[] = [];
  private usage: unknown;
  private model: unknown;

  add(chunk: unknown): boolean {
    const { choices, usage, model } = fieldsOf(chunk);
    this.usage = usage ?? this.usage;
    this.model ??= model;
    // Each choice has a say, so none is skipped.
    return listOf(choices)
      .map((choice) => this.addChoice(fieldsOf(choice)))
      .includes(true);
  }

  told(): AnswerFacts {
    const reasons = this.choices.map(({ finishReason }) => finishReason);
    const messages = this.choices.map(({ content, refusal, calls }) => ({
      role: 'assistant',
      content,
      ...(refusal !== '' && { refusal }),
      ...(calls.length > 0 && { toolCalls: calls }),
    }));
    return {
      usage: readUsage(this.usage),
      facts: {
        finishReason: reasons.length > 1 ? reasons : reasons[0],
        responseModel: this.model,
      },
      content: { message: messages.length > 1 ? messages : messages[0] },
    };
  }

  private addChoice({ index, delta, text, finish_reason }: Readonly<Record<string, unknown>>): boolean {
    const at = typeof index === 'number' && index >= 0 && index < 128 ? index : 0;
    while (this.choices.length <= at)
      this.choices.push({ content: '', refusal: '', finishReason: undefined, calls: [] });
    const choice = this.choices[at] as GatheredChoice;
    choice.finishReason = finish_reason ?? choice.finishReason;
    const { content, refusal, tool_calls } = fieldsOf(delta);
    const came = textOf(content ?? text);
    choice.content += came;
    choice.refusal += textOf(refusal);
    const calls = listOf(tool_calls);
    for (const call of calls) addCall(choice.calls, call);
    return came !== '' || calls.length > 0 || textOf(refusal) !== '';
  }
}

function addCall(calls: GatheredChoice['calls'], part: unknown): void {
  const { index, function: called, custom } = fieldsOf(part);
  const at = typeof index === 'number' && index >= 0 && index < 128 ? index : 0;
  while (calls.length <= at) calls.push({ name: '', arguments: '' });
  const call = calls[at] as { name: string; arguments: string };
  const { name, arguments: args, input } = fieldsOf(called ?? custom);
  call.name += textOf(name);
  call.arguments += textOf(args ?? input);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly unknown[] {
  return isFields(value) && Array.isArray(value) ? value : [];
}
