import type { AnswerFacts, AnswerGatherer, AnswerVerdict, ModelMethod } from '../clients/model-method.js';
import { formatPrompt } from '../prompt.js';
import { type Fields, fieldsOf, isFields } from '../readers.js';
import { messagesOf } from './messages.js';
import { readUsage } from './usage.js';

/** `chat.completions.create`, through which `parse`, `stream` and `runTools` go as well. */
export const CHAT: ModelMethod = {
  path: ['chat', 'completions', 'create'],
  prompt: ({ messages }) => formatPrompt(messagesOf(messages)),
  answer: completionFacts,
  verdict: completionVerdict,
  gather: () => new ChatGatherer(),
};

/** The older endpoint, of a text and its continuation. */
export const COMPLETION: ModelMethod = {
  path: ['completions', 'create'],
  prompt: ({ prompt }) => formatPrompt(messagesOf(Array.isArray(prompt) ? prompt.join('\n') : prompt)),
  answer: completionFacts,
  verdict: completionVerdict,
  gather: () => new ChatGatherer(),
};

const CUT_SHORT = ['length', 'content_filter'];

function completionVerdict(answer: unknown): AnswerVerdict | undefined {
  const choices = listOf(fieldsOf(answer)['choices']).map(fieldsOf);
  const isCut = choices.some(({ finish_reason: reason }) => CUT_SHORT.includes(String(reason)));
  const isRefused = choices.some(({ message }) => textOf(fieldsOf(message)['refusal']) !== '');
  return isCut || isRefused ? { level: 'warn' } : undefined;
}

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

/** Puts the chunks of a chat together, whatever a vendor adds to them: `reasoning_content`, `annotations`, `audio`. */
export class ChatGatherer implements AnswerGatherer {
  private answered: Gathered | undefined;
  private readonly choices: Gathered[] = [];

  add(chunk: unknown): boolean {
    const { choices, ...rest } = fieldsOf(chunk);
    const answered = (this.answered ??= {});
    // Padding that hides the lengths of the pieces.
    for (const [name, value] of Object.entries(rest))
      if (value !== null && name !== 'obfuscation') answered[name] = value;
    // Each choice has a say, so none is skipped.
    return listOf(choices)
      .map((choice) => this.addChoice(fieldsOf(choice)))
      .includes(true);
  }

  answer(): unknown {
    const { answered, choices } = this;
    if (answered === undefined) return undefined;
    const isChat = answered['object'] === 'chat.completion.chunk';
    return { ...answered, ...(isChat && { object: 'chat.completion' }), choices: choices.filter(Boolean) };
  }

  private addChoice({ index, delta, text, ...rest }: Fields): boolean {
    const at = placeOf(index);
    const choice = (this.choices[at] ??= { index: at });
    if (typeof text === 'string') choice['text'] = `${textOf(choice['text'])}${text}`;
    if (isFields(delta)) {
      const message = (choice['message'] ??= { role: 'assistant', content: null });
      addDelta(message as Gathered, delta);
    }
    for (const [name, value] of Object.entries(rest))
      if (value !== null && name === 'logprobs') addDelta((choice[name] ??= {}) as Gathered, fieldsOf(value));
      else choice[name] = value ?? choice[name] ?? null;
    if (textOf(text) !== '') return true;
    return Object.entries(fieldsOf(delta)).some(([name, value]) => name !== 'role' && isPart(value));
  }
}

type Gathered = Record<string, unknown>;

/** What is told again as a whole, and not in pieces. */
const WHOLE = new Set(['role', 'type', 'id', 'index', 'name', 'format', 'signature']);

/** Adds a delta: texts are continued, items of lists belong to the one with their `index`. */
function addDelta(target: Gathered, delta: Fields): void {
  for (const [name, value] of Object.entries(delta)) {
    const before = target[name];
    if (value === null || value === undefined) target[name] ??= value;
    else if (typeof value === 'string')
      target[name] = WHOLE.has(name) ? value || before : `${textOf(before)}${value}`;
    else if (Array.isArray(value)) addItems((target[name] = listOf(before) as Gathered[]), value);
    else if (isFields(value)) {
      if (!isFields(before)) target[name] = {};
      addDelta(target[name] as Gathered, value);
    } else target[name] = value;
  }
}

function addItems(items: unknown[], added: readonly unknown[]): void {
  for (const item of added) {
    const { index, ...fields } = fieldsOf(item);
    if (typeof index !== 'number') items.push(item);
    else addDelta((items[placeOf(index)] ??= {}) as Gathered, fields);
  }
}

function isPart(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return Array.isArray(value) ? value.length > 0 : isFields(value);
}

function placeOf(index: unknown): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 128 ? index : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
