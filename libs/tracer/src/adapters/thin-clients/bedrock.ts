import type { AnswerFacts, AnswerGatherer, ModelMethod } from '../clients/model-method.js';
import { callText, formatPrompt, textOfContent } from '../prompt.js';
import { count, type Fields, fieldsOf, isFields, parsed } from '../readers.js';
import { append } from './chat-formats.js';

const WELL_ENDED = new Set(['end_turn', 'stop_sequence', 'tool_use']);

const CONVERSE: Omit<ModelMethod, 'path'> = {
  body: ({ input }) => fieldsOf(input),
  prompt: ({ system, messages }) => {
    const instructions = textOfContent(system);
    const given: unknown[] = Array.isArray(messages) ? messages : [];
    return formatPrompt([
      ...(instructions === '' ? [] : [{ role: 'system', text: instructions }]),
      ...given.map((message) => {
        const { role, content } = fieldsOf(message);
        const blocks: unknown[] = Array.isArray(content) ? content : [];
        return { role: typeof role === 'string' ? role : 'user', text: blocks.map(textOfBlock).join('\n') };
      }),
    ]);
  },
  answer: factsOf,
  verdict: (answer) => {
    const { stopReason } = fieldsOf(answer);
    return typeof stopReason !== 'string' || WELL_ENDED.has(stopReason) ? undefined : { level: 'warn' };
  },
};

/** The client has one method, and the command selects the operation. Other commands are not recorded. */
export const BEDROCK_METHODS: readonly ModelMethod[] = [
  { ...CONVERSE, path: ['send'], key: 'converse', takes: (command) => isCommand(command, 'ConverseCommand') },
  {
    ...CONVERSE,
    path: ['send'],
    key: 'converseStream',
    takes: (command) => isCommand(command, 'ConverseStreamCommand'),
    streamIn: 'stream',
    gather: () => new ConverseGatherer(),
  },
];

function isCommand(command: unknown, name: string): boolean {
  return isFields(command) && command.constructor.name === name;
}

function textOfBlock(block: unknown): string {
  const { toolUse, toolResult } = fieldsOf(block);
  if (isFields(toolUse)) return callText(toolUse['name'], toolUse['input']);
  if (isFields(toolResult))
    return `[result of ${String(toolResult['toolUseId'])}] ${textOfContent(toolResult['content'])}`;
  return textOfContent(block);
}

/** Bedrock reports cached tokens next to the input tokens; our usage includes them. */
function factsOf(answer: unknown): AnswerFacts {
  const { usage, stopReason, $metadata } = fieldsOf(answer);
  const amounts = fieldsOf(usage);
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
      ...count('attempts', fieldsOf($metadata)['attempts']),
    },
    facts: { finishReason: stopReason, requestId: fieldsOf($metadata)['requestId'] },
  };
}

type Gathered = Record<string, unknown>;

/** Assembles the answer that `Converse` returns without streaming. */
class ConverseGatherer implements AnswerGatherer {
  private readonly answered: Gathered = {};
  private role: unknown = 'assistant';
  private readonly content: Gathered[] = [];

  add(event: unknown): boolean {
    const { messageStart, contentBlockStart, contentBlockDelta, messageStop, metadata } = fieldsOf(event);
    if (isFields(messageStart)) this.role = messageStart['role'];
    if (isFields(messageStop)) Object.assign(this.answered, messageStop);
    if (isFields(metadata)) Object.assign(this.answered, metadata);
    if (isFields(contentBlockStart)) {
      const { toolUse } = fieldsOf(contentBlockStart['start']);
      if (isFields(toolUse)) this.block(contentBlockStart)['toolUse'] = { ...toolUse, input: '' };
    }
    if (!isFields(contentBlockDelta)) return false;
    const { text, toolUse, reasoningContent } = fieldsOf(contentBlockDelta['delta']);
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
