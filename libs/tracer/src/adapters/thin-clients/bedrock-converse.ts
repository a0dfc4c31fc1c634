import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { count, type Fields, toFields, isFields, parsed } from '../readers.js';
import { append } from './chat-formats.js';

const WELL_ENDED = new Set(['end_turn', 'stop_sequence', 'tool_use']);

/** `Converse` and its stream; the bodies of Amazon's Nova models have the same format. */
export const CONVERSE: ModelReader = {
  prompt: messagesPrompt('bedrock.converse'),
  answer: readFacts,
  verdict: (answer) => {
    const { stopReason } = toFields(answer);
    return typeof stopReason !== 'string' || WELL_ENDED.has(stopReason) ? undefined : { level: 'warn' };
  },
  gather: () => new ConverseGatherer(),
};

/** Bedrock reports cached tokens next to the input tokens; our usage includes them. */
function readFacts(answer: unknown): AnswerFacts {
  const { usage, stopReason, $metadata } = toFields(answer);
  const amounts = toFields(usage);
  const {
    inputTokens: rest,
    outputTokens,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
  } = amounts;
  const sum = (...parts: unknown[]): number =>
    parts.reduce<number>((total, part) => total + (typeof part === 'number' ? part : 0), 0);
  return {
    usage: {
      ...count('input_tokens', typeof rest === 'number' ? sum(rest, read, written) : undefined),
      ...count('output_tokens', outputTokens),
      ...count('cached_input_tokens', read),
      ...count('cache_creation_input_tokens', written),
      ...count('attempts', toFields($metadata)['attempts']),
    },
    facts: { finishReason: stopReason, requestId: toFields($metadata)['requestId'] },
  };
}

type Gathered = Record<string, unknown>;

/** Assembles the answer that `Converse` returns without streaming. */
class ConverseGatherer implements AnswerGatherer {
  private readonly answered: Gathered = {};
  private role: unknown = 'assistant';
  private readonly content: Gathered[] = [];

  add(event: unknown): boolean {
    const { messageStart, contentBlockStart, contentBlockDelta, messageStop, metadata } = toFields(event);
    if (isFields(messageStart)) this.role = messageStart['role'];
    if (isFields(messageStop)) Object.assign(this.answered, messageStop);
    if (isFields(metadata)) Object.assign(this.answered, metadata);
    if (isFields(contentBlockStart)) {
      const { toolUse } = toFields(contentBlockStart['start']);
      if (isFields(toolUse)) this.block(contentBlockStart)['toolUse'] = { ...toolUse, input: '' };
    }
    if (!isFields(contentBlockDelta)) return false;
    const { text, toolUse, reasoningContent } = toFields(contentBlockDelta['delta']);
    const block = this.block(contentBlockDelta);
    if (typeof text === 'string') append(block, 'text', text);
    if (isFields(toolUse))
      append((block['toolUse'] ??= { input: '' }) as Gathered, 'input', toolUse['input']);
    if (isFields(reasoningContent)) {
      const reasoning = (block['reasoningContent'] ??= { reasoningText: {} }) as { reasoningText: Gathered };
      for (const name of ['text', 'signature']) append(reasoning.reasoningText, name, reasoningContent[name]);
    }
    return true;
  }

  answer(): unknown {
    const content = this.content.filter(Boolean).map((block) => {
      const { toolUse } = block;
      return isFields(toolUse) ? { toolUse: { ...toolUse, input: parsed(toolUse['input']) } } : block;
    });
    return { output: { message: { role: this.role, content } }, ...this.answered };
  }

  private block({ contentBlockIndex: index }: Fields): Gathered {
    const at = typeof index === 'number' && index >= 0 && index < 1024 ? index : 0;
    return (this.content[at] ??= {});
  }
}
