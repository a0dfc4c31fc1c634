import type { UsageRecord } from '@dacapo/protocol';
import type { AnswerFacts, AnswerGatherer, ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { formatPrompt } from '../prompt.js';
import { count, fieldsOf } from '../readers.js';
import { messagesOf } from './messages.js';

/** `messages.create`, through which `stream`, `parse` and the tool runner go as well. */
const MESSAGES: ModelMethod = {
  path: ['messages', 'create'],
  prompt: (request) => formatPrompt(messagesOf(request)),
  answer: factsOf,
  gather: () => new MessageGatherer(),
};

/** The client of the package `@anthropic-ai/sdk`, and those of Bedrock and Vertex beside it. */
export const ANTHROPIC: Vendor = {
  name: 'anthropic',
  methods: [
    MESSAGES,
    { ...MESSAGES, path: ['beta', 'messages', 'create'] },
    { ...MESSAGES, path: ['completions', 'create'], prompt: ({ prompt }) => textPrompt(prompt) },
  ],
  isClient: ({ messages }) => {
    const { create, stream, countTokens } = fieldsOf(messages);
    return (
      typeof create === 'function' && (typeof stream === 'function' || typeof countTokens === 'function')
    );
  },
  findProvider: ({ baseURL, awsRegion, projectId }) => {
    const provider = findProvider(baseURL);
    if (provider !== undefined) return provider;
    // Fields that only the clients of Bedrock and Vertex have.
    if (typeof awsRegion === 'string') return 'bedrock';
    return typeof projectId === 'string' ? 'vertex' : undefined;
  },
};

function textPrompt(prompt: unknown): string | undefined {
  return typeof prompt === 'string' ? formatPrompt([{ role: 'user', text: prompt }]) : undefined;
}

function factsOf(answer: unknown): AnswerFacts {
  const { usage, model, stop_reason, stop_sequence, id } = fieldsOf(answer);
  return {
    usage: usageOf(usage),
    facts: { finishReason: stop_reason, responseModel: model, responseId: id },
    content: { stopSequence: stop_sequence },
  };
}

/** The vendor counts cached tokens apart from the input; here they are part of it. */
function usageOf(usage: unknown): UsageRecord {
  const facts = fieldsOf(usage);
  const { input_tokens: rest, output_tokens: output } = facts;
  const read = facts['cache_read_input_tokens'] ?? undefined;
  const written = facts['cache_creation_input_tokens'] ?? undefined;
  const input = typeof rest === 'number' ? rest + numberOf(read) + numberOf(written) : undefined;
  return {
    ...count('input_tokens', input),
    ...count('output_tokens', output),
    ...count('total_tokens', input === undefined ? undefined : input + numberOf(output)),
    ...count('cached_input_tokens', read),
    ...count('cache_creation_input_tokens', written),
    ...count('reasoning_tokens', fieldsOf(facts['output_tokens_details'])['thinking_tokens']),
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

class MessageGatherer implements AnswerGatherer {
  private content = '';
  private readonly calls: { name: unknown; arguments: string }[] = [];
  private message: Readonly<Record<string, unknown>> = {};
  private usage: Readonly<Record<string, unknown>> = {};

  add(event: unknown): boolean {
    const { type, message, delta, usage, content_block, completion } = fieldsOf(event);
    if (typeof completion === 'string') this.content += completion;
    if (type === 'message_start') this.message = fieldsOf(message);
    // The last event has what the first could not know; of the rest the first stands.
    this.usage = { ...this.usage, ...known(fieldsOf(message)['usage']), ...known(usage) };
    if (type === 'message_delta') this.message = { ...this.message, ...known(delta) };
    const block = fieldsOf(content_block);
    if (block['type'] === 'tool_use' || block['type'] === 'server_tool_use')
      this.calls.push({ name: block['name'], arguments: '' });
    const { text, partial_json } = fieldsOf(delta);
    if (typeof text === 'string') this.content += text;
    const call = this.calls.at(-1);
    if (typeof partial_json === 'string' && call !== undefined) call.arguments += partial_json;
    return type === 'content_block_delta' || typeof completion === 'string';
  }

  told(): AnswerFacts {
    const { content, calls } = this;
    const message = { role: 'assistant', content, ...(calls.length > 0 && { toolCalls: calls }) };
    const facts = factsOf({ ...this.message, usage: this.usage });
    return { ...facts, content: { ...facts.content, message } };
  }
}

function known(value: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, fact]) => fact !== null));
}
