import type { UsageRecord } from '@dacapo/protocol';
import type { AnswerFacts, AnswerGatherer, ModelMethod, Vendor } from '../clients/model-method.js';
import { findProvider } from '../find-provider.js';
import { formatPrompt } from '../prompt.js';
import { count, type Fields, fieldsOf, isFields, parsed } from '../readers.js';
import { messagesOf } from './messages.js';

/** `pause_turn` is none of them: the application goes on by asking again. */
const CUT_SHORT = ['max_tokens', 'refusal', 'model_context_window_exceeded'];

/** `messages.create`, through which `stream`, `parse` and the tool runner go as well. */
const MESSAGES: ModelMethod = {
  path: ['messages', 'create'],
  prompt: (request) => formatPrompt(messagesOf(request)),
  answer: factsOf,
  verdict: (answer) =>
    CUT_SHORT.includes(String(fieldsOf(answer)['stop_reason'])) ? { level: 'warn' } : undefined,
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

type Gathered = Record<string, unknown>;

/** The pieces of a block, by the type of the delta: what it holds, and where that goes. */
const PIECES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['partial_json', 'input'],
  compaction_delta: ['content', 'content'],
};

class MessageGatherer implements AnswerGatherer {
  private message: Gathered | undefined;
  private usage: Fields = {};
  private readonly content: Gathered[] = [];
  private completion: string | undefined;

  add(event: unknown): boolean {
    const { type, message, delta, usage, content_block, index, completion, ...rest } = fieldsOf(event);
    if (typeof completion === 'string') {
      this.completion = `${this.completion ?? ''}${completion}`;
      this.message = { ...this.message, type, ...known(rest) };
    }
    if (type === 'message_start') this.message = { ...fieldsOf(message) };
    // The last event has what the first could not know; of the rest the first stands.
    this.usage = { ...this.usage, ...known(fieldsOf(message)['usage']), ...known(usage) };
    if (type === 'message_delta') this.message = { ...this.message, ...known(delta) };
    const at = typeof index === 'number' && index >= 0 && index < 1024 ? index : 0;
    if (isFields(content_block)) this.content[at] = { ...content_block };
    if (type === 'content_block_delta') addDelta((this.content[at] ??= {}), fieldsOf(delta));
    return type === 'content_block_delta' || typeof completion === 'string';
  }

  answer(): unknown {
    const { message, usage, completion, content } = this;
    if (message === undefined) return undefined;
    const amounts = Object.keys(usage).length > 0 && { usage };
    if (completion !== undefined) return { ...message, completion, ...amounts };
    const blocks = content.filter(Boolean).map((block) => ({ ...block, ...inputOf(block) }));
    return { ...message, content: blocks, ...amounts };
  }
}

function addDelta(block: Gathered, delta: Fields): void {
  const { type, citation } = delta;
  if (citation !== undefined) {
    const { citations } = block;
    block['citations'] = [...(Array.isArray(citations) ? (citations as unknown[]) : []), citation];
  }
  const [from = '', to = ''] = PIECES[String(type)] ?? [];
  const piece = delta[from];
  if (typeof piece !== 'string') return;
  const before = block[to];
  block[to] = `${typeof before === 'string' ? before : ''}${piece}`;
}

/** The input of a tool comes as JSON in pieces; of a stream that breaks off it stays the text. */
function inputOf({ input }: Fields): Fields {
  return typeof input === 'string' ? { input: parsed(input) } : {};
}

function known(value: unknown): Fields {
  return Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, fact]) => fact !== null));
}
