import { type Members, toMembers, hasMembers, toList } from '@dacapo/protocol';
import { append, type Gathered, partAt, toIndex } from '../clients/gathered.js';
import { messagesPrompt, textPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { knownMembers, parsed } from '../readers.js';
import { readUsage } from './usage.js';

/** Does not include `pause_turn`, after which the application continues with another request. */
const CUT_SHORT = ['max_tokens', 'refusal', 'model_context_window_exceeded'];

/** `messages.create`, which `stream`, `parse` and the tool runner call too. */
export const MESSAGES: ModelReader = {
  prompt: messagesPrompt('anthropic.messages'),
  answer: readFacts,
  verdict: (answer) =>
    CUT_SHORT.includes(String(toMembers(answer)['stop_reason'])) ? { level: 'warn' } : undefined,
  gather: () => new MessageGatherer(),
};

/** The older endpoint, which continues a text. */
export const COMPLETION: ModelReader = {
  ...MESSAGES,
  prompt: ({ prompt }) => textPrompt(prompt),
};

function readFacts(answer: unknown): AnswerFacts {
  const { usage, model, stop_reason, stop_sequence, id } = toMembers(answer);
  return {
    usage: readUsage(usage),
    facts: { finishReason: stop_reason, responseModel: model, responseId: id },
    content: { stopSequence: stop_sequence },
  };
}

/** For each type of delta: the property with the piece, and the property of the block to append it to. */
const PIECES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['partial_json', 'input'],
  compaction_delta: ['content', 'content'],
};

class MessageGatherer implements AnswerGatherer {
  private message: Gathered | undefined;
  private usage: Members = {};
  private readonly content: Gathered[] = [];
  private completion: string | undefined;

  add(event: unknown): boolean {
    const { type, message, delta, usage, content_block, index, completion, ...rest } = toMembers(event);
    if (typeof completion === 'string') {
      this.completion = `${this.completion ?? ''}${completion}`;
      this.message = { ...this.message, type, ...knownMembers(rest) };
    }
    if (type === 'message_start') this.message = { ...toMembers(message) };
    // The last event overrides the first where it has a value.
    this.usage = { ...this.usage, ...knownMembers(toMembers(message)['usage']), ...knownMembers(usage) };
    if (type === 'message_delta') this.message = { ...this.message, ...knownMembers(delta) };
    if (hasMembers(content_block)) this.content[toIndex(index)] = { ...content_block };
    if (type === 'content_block_delta') addDelta(partAt(this.content, index), toMembers(delta));
    return type === 'content_block_delta' || typeof completion === 'string';
  }

  answer(): unknown {
    const { message, usage, completion, content } = this;
    if (message === undefined) return undefined;
    const amounts = Object.keys(usage).length > 0 && { usage };
    if (completion !== undefined) return { ...message, completion, ...amounts };
    const blocks = content.filter(Boolean).map((block) => ({ ...block, ...parseInput(block) }));
    return { ...message, content: blocks, ...amounts };
  }
}

function addDelta(block: Gathered, delta: Members): void {
  const { type, citation } = delta;
  if (citation !== undefined) block['citations'] = [...toList(block['citations']), citation];
  const [from = '', to = ''] = PIECES[String(type)] ?? [];
  append(block, to, delta[from]);
}

/** A tool's input arrives as pieces of JSON. If the stream breaks off, it stays a text. */
function parseInput({ input }: Members): Members {
  return typeof input === 'string' ? { input: parsed(input) } : {};
}
