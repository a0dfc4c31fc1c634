import { formatPrompt, openAiMessages, type Members, toMembers, hasMembers, toList } from '@dacapo/protocol';
import { append, type Gathered, toIndex } from '../clients/gathered.js';
import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, AnswerVerdict, ModelReader } from '../clients/model-method.js';
import { text } from '../readers.js';
import { readUsage } from './usage.js';

/** `chat.completions.create`, which `parse`, `stream` and `runTools` call too. */
export const CHAT: ModelReader = {
  prompt: messagesPrompt('openai.chat'),
  answer: completionFacts,
  verdict: completionVerdict,
  gather: () => new ChatGatherer(),
};

/** The older endpoint, which continues a text. */
export const COMPLETION: ModelReader = {
  ...CHAT,
  prompt: ({ prompt }) => formatPrompt(openAiMessages(Array.isArray(prompt) ? prompt.join('\n') : prompt)),
};

const CUT_SHORT = ['length', 'content_filter'];

function completionVerdict(answer: unknown): AnswerVerdict | undefined {
  const choices = toList(toMembers(answer)['choices']).map(toMembers);
  const isCut = choices.some(({ finish_reason: reason }) => CUT_SHORT.includes(String(reason)));
  const isRefused = choices.some(({ message }) => isPart(toMembers(message)['refusal']));
  return isCut || isRefused ? { level: 'warn' } : undefined;
}

function completionFacts(answer: unknown): AnswerFacts {
  const { usage, model, choices, system_fingerprint, service_tier } = toMembers(answer);
  const reasons = toList(choices).map((choice) => toMembers(choice)['finish_reason']);
  return {
    usage: { ...readUsage(usage), ...text('service_tier', service_tier) },
    facts: {
      finishReason: reasons.length > 1 ? reasons : reasons[0],
      responseModel: model,
      systemFingerprint: system_fingerprint,
    },
  };
}

/** Merges the chunks of a chat, including additions of vendors: `reasoning_content`, `annotations`, `audio`. */
export class ChatGatherer implements AnswerGatherer {
  private answered: Gathered | undefined;
  private readonly choices: Gathered[] = [];

  add(chunk: unknown): boolean {
    const fields = toMembers(chunk);
    const answered = (this.answered ??= {});
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      // The second is padding that hides the lengths of the pieces.
      if (name !== 'choices' && name !== 'obfuscation' && value !== null) answered[name] = value;
    }
    let isPart = false;
    for (const choice of toList(fields['choices'])) if (this.addChoice(toMembers(choice))) isPart = true;
    return isPart;
  }

  answer(): unknown {
    const { answered, choices } = this;
    if (answered === undefined) return undefined;
    const isChat = answered['object'] === 'chat.completion.chunk';
    return { ...answered, ...(isChat && { object: 'chat.completion' }), choices: choices.filter(Boolean) };
  }

  private addChoice(fields: Members): boolean {
    const { index, delta, text } = fields;
    const at = toIndex(index);
    const choice = (this.choices[at] ??= { index: at });
    append(choice, 'text', text);
    if (hasMembers(delta)) {
      const message = (choice['message'] ??= { role: 'assistant', content: null });
      addDelta(message as Gathered, delta);
    }
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (PIECES.has(name)) continue;
      if (value !== null && name === 'logprobs')
        addDelta((choice[name] ??= {}) as Gathered, toMembers(value));
      else choice[name] = value ?? choice[name] ?? null;
    }
    if (isPart(text)) return true;
    const added = toMembers(delta);
    return Object.keys(added).some((name) => name !== 'role' && isPart(added[name]));
  }
}

/** Members of a choice that are merged. */
const PIECES = new Set(['index', 'delta', 'text']);

/** Fields that each event repeats completely, not in pieces. */
const WHOLE = new Set(['role', 'type', 'id', 'index', 'name', 'format', 'signature']);

/** Merges a delta: appends texts, and merges list items by their `index`. */
function addDelta(target: Gathered, delta: Members): void {
  for (const name of Object.keys(delta)) {
    const value = delta[name];
    const before = target[name];
    if (value === null || value === undefined) target[name] ??= value;
    else if (typeof value !== 'string') addValue(target, name, value);
    else if (WHOLE.has(name)) target[name] = value || before;
    else append(target, name, value);
  }
}

function addValue(target: Gathered, name: string, value: unknown): void {
  const before = target[name];
  if (Array.isArray(value)) addItems((target[name] = toList(before)), value);
  else if (hasMembers(value)) {
    if (!hasMembers(before)) target[name] = {};
    addDelta(target[name] as Gathered, value);
  } else target[name] = value;
}

function addItems(items: unknown[], added: readonly unknown[]): void {
  for (const item of added) {
    const { index, ...fields } = toMembers(item);
    if (typeof index !== 'number') items.push(item);
    else addDelta((items[toIndex(index)] ??= {}) as Gathered, fields);
  }
}

function isPart(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return Array.isArray(value) ? value.length > 0 : hasMembers(value);
}
