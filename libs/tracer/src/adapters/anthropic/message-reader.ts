import { formatPrompt } from '@dacapo/protocol';
import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { type Fields, toFields, isFields, parsed } from '../readers.js';
import { readUsage } from './usage.js';

/** `pause_turn` is none of them: the application goes on by asking again. */
const CUT_SHORT = ['max_tokens', 'refusal', 'model_context_window_exceeded'];

/** `messages.create`, through which `stream`, `parse` and the tool runner go as well. */
export const MESSAGES: ModelReader = {
  prompt: messagesPrompt('anthropic.messages'),
  answer: readFacts,
  verdict: (answer) =>
    CUT_SHORT.includes(String(toFields(answer)['stop_reason'])) ? { level: 'warn' } : undefined,
  gather: () => new MessageGatherer(),
};

/** The older endpoint, of a text and its continuation. */
export const COMPLETION: ModelReader = {
  ...MESSAGES,
  prompt: ({ prompt }) =>
    typeof prompt === 'string' ? formatPrompt([{ role: 'user', text: prompt }]) : undefined,
};

function readFacts(answer: unknown): AnswerFacts {
  const { usage, model, stop_reason, stop_sequence, id } = toFields(answer);
  return {
    usage: readUsage(usage),
    facts: { finishReason: stop_reason, responseModel: model, responseId: id },
    content: { stopSequence: stop_sequence },
  };
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
    const { type, message, delta, usage, content_block, index, completion, ...rest } = toFields(event);
    if (typeof completion === 'string') {
      this.completion = `${this.completion ?? ''}${completion}`;
      this.message = { ...this.message, type, ...known(rest) };
    }
    if (type === 'message_start') this.message = { ...toFields(message) };
    // The last event has what the first could not know; of the rest the first stands.
    this.usage = { ...this.usage, ...known(toFields(message)['usage']), ...known(usage) };
    if (type === 'message_delta') this.message = { ...this.message, ...known(delta) };
    const at = typeof index === 'number' && index >= 0 && index < 1024 ? index : 0;
    if (isFields(content_block)) this.content[at] = { ...content_block };
    if (type === 'content_block_delta') addDelta((this.content[at] ??= {}), toFields(delta));
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
function parseInput({ input }: Fields): Fields {
  return typeof input === 'string' ? { input: parsed(input) } : {};
}

function known(value: unknown): Fields {
  return Object.fromEntries(Object.entries(toFields(value)).filter(([, fact]) => fact !== null));
}
