import { formatPrompt, openAiMessages } from '@dacapo/protocol';
import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, AnswerVerdict, ModelReader } from '../clients/model-method.js';
import { type Fields, toFields, isFields, text } from '../readers.js';
import { readUsage } from './usage.js';

/** `chat.completions.create`, through which `parse`, `stream` and `runTools` go as well. */
export const CHAT: ModelReader = {
  prompt: messagesPrompt('openai.chat'),
  answer: completionFacts,
  verdict: completionVerdict,
  gather: () => new ChatGatherer(),
};

/** The older endpoint, of a text and its continuation. */
export const COMPLETION: ModelReader = {
  ...CHAT,
  prompt: ({ prompt }) => formatPrompt(openAiMessages(Array.isArray(prompt) ? prompt.join('\n') : prompt)),
};

const CUT_SHORT = ['length', 'content_filter'];

function completionVerdict(answer: unknown): AnswerVerdict | undefined {
  const choices = toList(toFields(answer)['choices']).map(toFields);
  const isCut = choices.some(({ finish_reason: reason }) => CUT_SHORT.includes(String(reason)));
  const isRefused = choices.some(({ message }) => toText(toFields(message)['refusal']) !== '');
  return isCut || isRefused ? { level: 'warn' } : undefined;
}

function completionFacts(answer: unknown): AnswerFacts {
  const { usage, model, choices, system_fingerprint, service_tier } = toFields(answer);
  const reasons = toList(choices).map((choice) => toFields(choice)['finish_reason']);
  return {
    usage: { ...readUsage(usage), ...text('service_tier', service_tier) },
    facts: {
      finishReason: reasons.length > 1 ? reasons : reasons[0],
      responseModel: model,
      systemFingerprint: system_fingerprint,
    },
  };
}

/** Puts the chunks of a chat together, whatever a vendor adds to them: `reasoning_content`, `annotations`, `audio`. */
export class ChatGatherer implements AnswerGatherer {
  private answered: Gathered | undefined;
  private readonly choices: Gathered[] = [];

  add(chunk: unknown): boolean {
    const fields = toFields(chunk);
    const answered = (this.answered ??= {});
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      // The second is padding that hides the lengths of the pieces.
      if (name !== 'choices' && name !== 'obfuscation' && value !== null) answered[name] = value;
    }
    let isPart = false;
    for (const choice of toList(fields['choices'])) if (this.addChoice(toFields(choice))) isPart = true;
    return isPart;
  }

  answer(): unknown {
    const { answered, choices } = this;
    if (answered === undefined) return undefined;
    const isChat = answered['object'] === 'chat.completion.chunk';
    return { ...answered, ...(isChat && { object: 'chat.completion' }), choices: choices.filter(Boolean) };
  }

  private addChoice(fields: Fields): boolean {
    const { index, delta, text } = fields;
    const at = toIndex(index);
    const choice = (this.choices[at] ??= { index: at });
    if (typeof text === 'string') choice['text'] = `${toText(choice['text'])}${text}`;
    if (isFields(delta)) {
      const message = (choice['message'] ??= { role: 'assistant', content: null });
      addDelta(message as Gathered, delta);
    }
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (PIECES.has(name)) continue;
      if (value !== null && name === 'logprobs') addDelta((choice[name] ??= {}) as Gathered, toFields(value));
      else choice[name] = value ?? choice[name] ?? null;
    }
    if (toText(text) !== '') return true;
    const added = toFields(delta);
    return Object.keys(added).some((name) => name !== 'role' && isPart(added[name]));
  }
}

/** Members of a choice that are put together. */
const PIECES = new Set(['index', 'delta', 'text']);

type Gathered = Record<string, unknown>;

/** What is told again as a whole, and not in pieces. */
const WHOLE = new Set(['role', 'type', 'id', 'index', 'name', 'format', 'signature']);

/** Adds a delta: texts are continued, items of lists belong to the one with their `index`. */
function addDelta(target: Gathered, delta: Fields): void {
  for (const name of Object.keys(delta)) {
    const value = delta[name];
    const before = target[name];
    if (value === null || value === undefined) target[name] ??= value;
    else if (typeof value === 'string')
      target[name] = WHOLE.has(name) ? value || before : `${toText(before)}${value}`;
    else if (Array.isArray(value)) addItems((target[name] = toList(before) as Gathered[]), value);
    else if (isFields(value)) {
      if (!isFields(before)) target[name] = {};
      addDelta(target[name] as Gathered, value);
    } else target[name] = value;
  }
}

function addItems(items: unknown[], added: readonly unknown[]): void {
  for (const item of added) {
    const { index, ...fields } = toFields(item);
    if (typeof index !== 'number') items.push(item);
    else addDelta((items[toIndex(index)] ??= {}) as Gathered, fields);
  }
}

function isPart(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return Array.isArray(value) ? value.length > 0 : isFields(value);
}

function toIndex(index: unknown): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 128 ? index : 0;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
