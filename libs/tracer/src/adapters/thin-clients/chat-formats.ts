import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { count, type Fields, toFields, isFields } from '../readers.js';
import { embeddingsLike } from './embeddings.js';
import { snakeCased } from './snake-cased.js';

type Gathered = Record<string, unknown>;

/** Appends a piece to a text in a property. */
export function append(target: Gathered, name: string, piece: unknown): void {
  if (typeof piece !== 'string') return;
  const before = target[name];
  target[name] = `${typeof before === 'string' ? before : ''}${piece}`;
}

const fieldsIn = (value: unknown, ...path: readonly string[]): Fields =>
  path.reduce((holder, name) => toFields(holder[name]), toFields(value));

/** Both versions of Cohere's API. Usage counts the tokens that the model read and wrote, not the billed units, if both are present. */
export const COHERE_CHAT: ModelReader = {
  prompt: messagesPrompt('cohere.chat'),
  answer: (answer) => {
    const { usage, meta, finish_reason, id, generation_id } = toFields(snakeCased(answer));
    const { tokens, billed_units } = toFields(usage ?? meta);
    const { input_tokens, output_tokens } = { ...toFields(billed_units), ...toFields(tokens) };
    const { cached_tokens } = toFields(usage ?? meta);
    return {
      usage: {
        ...count('input_tokens', input_tokens),
        ...count('output_tokens', output_tokens),
        ...count('cached_input_tokens', cached_tokens),
      },
      facts: { finishReason: finish_reason, responseId: id ?? generation_id },
    };
  },
  verdict: (answer) => {
    const { finish_reason: reason } = toFields(snakeCased(answer));
    return typeof reason !== 'string' || /^(COMPLETE|TOOL_CALL|STOP_SEQUENCE)$/.test(reason)
      ? undefined
      : { level: 'warn' };
  },
  gather: () => new CohereGatherer(),
};

export const COHERE_EMBED = embeddingsLike(COHERE_CHAT);

class CohereGatherer implements AnswerGatherer {
  private answered: Gathered = {};
  private readonly message: Gathered = { role: 'assistant' };
  private readonly content: Gathered[] = [];
  private readonly calls: Gathered[] = [];

  add(event: unknown): boolean {
    const { type, eventType, index, id, delta, text, response } = toFields(event);
    if (eventType === 'stream-end') this.answered = { ...toFields(response) };
    if (eventType === 'text-generation') append(this.answered, 'text', text);
    if (type === 'message-start') this.answered['id'] = id;
    if (type === 'message-end') Object.assign(this.answered, delta);
    const at = typeof index === 'number' && index >= 0 && index < 128 ? index : 0;
    const { content, toolCalls, toolPlan } = fieldsIn(delta, 'message');
    append(this.message, 'toolPlan', toolPlan);
    if (isFields(content) && !Array.isArray(content)) {
      const block = (this.content[at] ??= {});
      if (typeof content['type'] === 'string') block['type'] = content['type'];
      for (const name of ['text', 'thinking']) append(block, name, content[name]);
    }
    if (isFields(toolCalls) && !Array.isArray(toolCalls)) {
      const { function: called, ...rest } = toolCalls;
      const call = (this.calls[at] ??= { function: {} });
      Object.assign(call, rest);
      const { name, arguments: args } = toFields(called);
      const target = call['function'] as Gathered;
      if (name !== undefined) target['name'] = name;
      append(target, 'arguments', args);
    }
    return eventType === 'text-generation' || (typeof type === 'string' && type.endsWith('-delta'));
  }

  answer(): unknown {
    const [content, toolCalls] = [this.content.filter(Boolean), this.calls.filter(Boolean)];
    if (content.length + toolCalls.length === 0) return this.answered;
    return {
      ...this.answered,
      message: {
        ...this.message,
        ...(content.length > 0 && { content }),
        ...(toolCalls.length > 0 && { toolCalls }),
      },
    };
  }
}

/** `chat` and `generate` of Ollama. The last chunk has the token counts. */
export const OLLAMA_CHAT: ModelReader = {
  prompt: messagesPrompt('ollama.chat'),
  answer: (answer) => {
    const { model, done_reason, prompt_eval_count, eval_count } = toFields(answer);
    return {
      usage: { ...count('input_tokens', prompt_eval_count), ...count('output_tokens', eval_count) },
      facts: { finishReason: done_reason, responseModel: model },
    };
  },
  verdict: (answer) => (toFields(answer)['done_reason'] === 'length' ? { level: 'warn' } : undefined),
  gather: () => new OllamaGatherer(),
};

export const OLLAMA_EMBED = embeddingsLike(OLLAMA_CHAT);

class OllamaGatherer implements AnswerGatherer {
  private readonly answered: Gathered = {};

  add(chunk: unknown): boolean {
    const { message, response, thinking, ...rest } = toFields(chunk);
    const { answered } = this;
    Object.assign(answered, rest);
    append(answered, 'response', response);
    append(answered, 'thinking', thinking);
    if (!isFields(message)) return response !== '';
    const { content, thinking: thought, tool_calls, ...own } = message;
    const target = (answered['message'] ??= {}) as Gathered;
    Object.assign(target, own);
    append(target, 'content', content);
    append(target, 'thinking', thought);
    const calls: unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
    if (calls.length > 0)
      target['tool_calls'] = [...((target['tool_calls'] as unknown[] | undefined) ?? []), ...calls];
    return content !== '' || calls.length > 0;
  }

  answer(): unknown {
    return this.answered;
  }
}
