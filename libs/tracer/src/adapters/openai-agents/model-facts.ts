import type { ExternalOutcome } from '../../recording/external-attributes.js';
import { asFields, count, type Fields, fieldsOf, knownFacts } from '../readers.js';
import { formatPrompt, type PromptMessage, textOfContent } from '../prompt.js';
import type { AgentsSpanData } from './agents-types.js';
import type { UsageRecord } from '@dacapo/protocol';

/** A call of the responses endpoint: the answer holds the instructions, model and usage. */
export function responseFacts(data: AgentsSpanData): ExternalOutcome {
  const response = asFields(data['_response']);
  const input = data['_input'];
  const instructions = response?.['instructions'];
  const messages: PromptMessage[] = [
    ...(typeof instructions === 'string' ? [{ role: 'system', text: instructions }] : []),
    ...(typeof input === 'string' ? [{ role: 'user', text: input }] : messagesOf(input)),
  ];
  return {
    input: input === undefined ? undefined : [input],
    output: response?.['output'],
    prompt: formatPrompt(messages),
    usage: readUsage(response?.['usage'], response?.['model']),
    contexts: knownFacts({
      response_id: data['response_id'],
      status: response?.['status'],
      ...Object.fromEntries(SETTINGS.map((name) => [name, response?.[name]])),
    }),
  };
}

/** What the model was told beside the prompt, as the answer repeats it. */
const SETTINGS = [
  'temperature',
  'top_p',
  'max_output_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
];

/** A call of the chat completions endpoint: usage and the answering model stand in the completion. */
export function generationFacts({
  input,
  output,
  model,
  model_config,
  usage,
}: AgentsSpanData): ExternalOutcome {
  const completion = Array.isArray(output) ? asFields(output[0]) : undefined;
  const choice = Array.isArray(completion?.['choices']) ? asFields(completion['choices'][0]) : undefined;
  return {
    input: input === undefined ? undefined : [input],
    output,
    prompt: formatPrompt(messagesOf(input)),
    usage: readUsage(usage ?? completion?.['usage'], completion?.['model'] ?? model),
    contexts: knownFacts({ model_config, finish_reason: choice?.['finish_reason'] }),
  };
}

/** The messages among items of a conversation; calls of tools and their results are none. */
function messagesOf(items: unknown): PromptMessage[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) => {
    const fields = asFields(item);
    const role = fields?.['role'];
    return typeof role === 'string' ? [{ role, text: textOfContent(fields?.['content']) }] : [];
  });
}

/** Usage in either vocabulary: of the responses and of the chat completions endpoint. */
export function readUsage(usage: unknown, model?: unknown): UsageRecord | undefined {
  const facts = fieldsOf(usage);
  const record: UsageRecord = {
    ...(typeof model === 'string' && { model }),
    ...count('input_tokens', facts['input_tokens'] ?? facts['prompt_tokens']),
    ...count('output_tokens', facts['output_tokens'] ?? facts['completion_tokens']),
    ...count('total_tokens', facts['total_tokens']),
    ...count(
      'cached_input_tokens',
      facts['cached_input_tokens'] ?? detailOf(facts, 'input', 'cached_tokens'),
    ),
    ...count('reasoning_tokens', detailOf(facts, 'output', 'reasoning_tokens')),
    ...count('requests', facts['requests']),
  };
  return Object.keys(record).length === 0 ? undefined : record;
}

function detailOf(usage: Fields, side: 'input' | 'output', name: string): unknown {
  const other = side === 'input' ? 'prompt' : 'completion';
  const details = usage[`${side}_tokens_details`] ?? usage[`${other}_tokens_details`];
  return fieldsOf(details)[name];
}
