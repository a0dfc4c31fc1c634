import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import { append, type Gathered, partAt } from '../clients/gathered.js';
import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { count, parsed, sum } from '../readers.js';

const WELL_ENDED = new Set(['end_turn', 'stop_sequence', 'tool_use']);

/** `Converse` and its stream; the bodies of Amazon's Nova models have the same format. */
export const CONVERSE: ModelReader = {
  prompt: messagesPrompt('bedrock.converse'),
  answer: readFacts,
  verdict: (answer) => {
    const { stopReason } = toMembers(answer);
    return typeof stopReason !== 'string' || WELL_ENDED.has(stopReason) ? undefined : { level: 'warn' };
  },
  gather: () => new ConverseGatherer(),
};

/** Bedrock reports cached tokens next to the input tokens; our usage includes them. */
function readFacts(answer: unknown): AnswerFacts {
  const { usage, stopReason, $metadata } = toMembers(answer);
  const amounts = toMembers(usage);
  const {
    inputTokens: rest,
    outputTokens,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
  } = amounts;
  return {
    usage: {
      ...count('input_tokens', typeof rest === 'number' ? sum(rest, read, written) : undefined),
      ...count('output_tokens', outputTokens),
      ...count('cached_input_tokens', read),
      ...count('cache_creation_input_tokens', written),
      ...count('attempts', toMembers($metadata)['attempts']),
    },
    facts: { finishReason: stopReason, requestId: toMembers($metadata)['requestId'] },
  };
}

/** Assembles the answer that `Converse` returns without streaming. */
class ConverseGatherer implements AnswerGatherer {
  private readonly answered: Gathered = {};
  private role: unknown = 'assistant';
  private readonly content: Gathered[] = [];

  add(event: unknown): boolean {
    const { messageStart, contentBlockStart, contentBlockDelta, messageStop, metadata } = toMembers(event);
    if (hasMembers(messageStart)) this.role = messageStart['role'];
    if (hasMembers(messageStop)) Object.assign(this.answered, messageStop);
    if (hasMembers(metadata)) Object.assign(this.answered, metadata);
    if (hasMembers(contentBlockStart)) {
      const { toolUse } = toMembers(contentBlockStart['start']);
      if (hasMembers(toolUse)) this.block(contentBlockStart)['toolUse'] = { ...toolUse, input: '' };
    }
    if (!hasMembers(contentBlockDelta)) return false;
    const { text, toolUse, reasoningContent } = toMembers(contentBlockDelta['delta']);
    const block = this.block(contentBlockDelta);
    if (typeof text === 'string') append(block, 'text', text);
    if (hasMembers(toolUse))
      append((block['toolUse'] ??= { input: '' }) as Gathered, 'input', toolUse['input']);
    if (hasMembers(reasoningContent)) {
      const reasoning = (block['reasoningContent'] ??= { reasoningText: {} }) as { reasoningText: Gathered };
      for (const name of ['text', 'signature']) append(reasoning.reasoningText, name, reasoningContent[name]);
    }
    return true;
  }

  answer(): unknown {
    const content = this.content.filter(Boolean).map((block) => {
      const { toolUse } = block;
      return hasMembers(toolUse) ? { toolUse: { ...toolUse, input: parsed(toolUse['input']) } } : block;
    });
    return { output: { message: { role: this.role, content } }, ...this.answered };
  }

  private block({ contentBlockIndex: index }: Members): Gathered {
    return partAt(this.content, index);
  }
}
