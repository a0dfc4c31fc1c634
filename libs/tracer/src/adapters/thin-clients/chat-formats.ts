import { toMembers, hasMembers, toList } from '@dacapo/protocol';
import { append, type Gathered, partAt } from '../clients/gathered.js';
import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { count } from '../readers.js';
import { embeddingsLike } from './embeddings.js';
import { snakeCased } from './snake-cased.js';

/** Both versions of Cohere's API. Usage counts the tokens that the model read and wrote, not the billed units, if both are present. */
export const COHERE_CHAT: ModelReader = {
  prompt: messagesPrompt('cohere.chat'),
  answer: (answer) => {
    const { usage, meta, finish_reason, id, generation_id } = toMembers(snakeCased(answer));
    const { tokens, billed_units } = toMembers(usage ?? meta);
    const { input_tokens, output_tokens } = { ...toMembers(billed_units), ...toMembers(tokens) };
    const { cached_tokens } = toMembers(usage ?? meta);
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
    const { finish_reason: reason } = toMembers(snakeCased(answer));
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
    const { type, eventType, index, id, delta, text, response } = toMembers(event);
    if (eventType === 'stream-end') this.answered = { ...toMembers(response) };
    if (eventType === 'text-generation') append(this.answered, 'text', text);
    if (type === 'message-start') this.answered['id'] = id;
    if (type === 'message-end') Object.assign(this.answered, delta);
    const { content, toolCalls, toolPlan } = toMembers(toMembers(delta)['message']);
    append(this.message, 'toolPlan', toolPlan);
    if (hasMembers(content) && !Array.isArray(content)) {
      const block = partAt(this.content, index);
      if (typeof content['type'] === 'string') block['type'] = content['type'];
      for (const name of ['text', 'thinking']) append(block, name, content[name]);
    }
    if (hasMembers(toolCalls) && !Array.isArray(toolCalls)) {
      const { function: called, ...rest } = toolCalls;
      const call = partAt(this.calls, index);
      const target = (call['function'] ??= {}) as Gathered;
      Object.assign(call, rest);
      const { name, arguments: args } = toMembers(called);
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
    const { model, done_reason, prompt_eval_count, eval_count } = toMembers(answer);
    return {
      usage: { ...count('input_tokens', prompt_eval_count), ...count('output_tokens', eval_count) },
      facts: { finishReason: done_reason, responseModel: model },
    };
  },
  verdict: (answer) => (toMembers(answer)['done_reason'] === 'length' ? { level: 'warn' } : undefined),
  gather: () => new OllamaGatherer(),
};

export const OLLAMA_EMBED = embeddingsLike(OLLAMA_CHAT);

class OllamaGatherer implements AnswerGatherer {
  private readonly answered: Gathered = {};

  add(chunk: unknown): boolean {
    const { message, response, thinking, ...rest } = toMembers(chunk);
    const { answered } = this;
    Object.assign(answered, rest);
    append(answered, 'response', response);
    append(answered, 'thinking', thinking);
    if (!hasMembers(message)) return response !== '';
    const { content, thinking: thought, tool_calls, ...own } = message;
    const target = (answered['message'] ??= {}) as Gathered;
    Object.assign(target, own);
    append(target, 'content', content);
    append(target, 'thinking', thought);
    const calls = toList(tool_calls);
    if (calls.length > 0) target['tool_calls'] = [...toList(target['tool_calls']), ...calls];
    return content !== '' || calls.length > 0;
  }

  answer(): unknown {
    return this.answered;
  }
}
