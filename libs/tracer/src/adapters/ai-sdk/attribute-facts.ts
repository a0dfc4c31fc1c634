import type { UsageRecord } from '@dacapo/protocol';
import type { ExternalAttributes, ExternalOutcome } from '../../recording/external-attributes.js';
import { count, knownFacts, milliseconds, parsed, text } from '../readers.js';
import { failureOf, readReportedCost, vectorsOf } from './outcome-facts.js';
import { promptOf } from './messages.js';

export type Attributes = Readonly<Record<string, unknown>>;

const METADATA = 'ai.telemetry.metadata.';

/** What the attributes tell at the start of a span. Those of request headers are never read. */
export function attributeInput(attributes: Attributes): ExternalAttributes {
  const messages = valueOf(attributes['ai.prompt.messages']);
  const input =
    messages ??
    valueOf(attributes['ai.prompt']) ??
    valueOf(attributes['ai.toolCall.args']) ??
    valueOf(attributes['ai.values']) ??
    valueOf(attributes['ai.value']);
  return {
    input: input === undefined ? undefined : [input],
    prompt: messages === undefined ? undefined : promptOf(undefined, messages),
    contexts: knownFacts(metadataOf(attributes)),
    asked: {
      ...settingsOf(attributes),
      tools: valueOf(attributes['ai.prompt.tools']),
      toolChoice: valueOf(attributes['ai.prompt.toolChoice']),
    },
  };
}

const SETTING = 'gen_ai.request.';

/** What the model was told beside the prompt. */
function settingsOf(attributes: Attributes): Record<string, unknown> {
  const own = Object.entries(attributes).filter(
    ([name]) => name.startsWith(SETTING) && name !== 'gen_ai.request.model',
  );
  return Object.fromEntries(own.map(([name, value]) => [name.slice(SETTING.length), value]));
}

/**
 * What they tell when it ends.
 *
 * @param isModelCall whether usage is its own; an operation's is that of the requests inside
 */
export function attributeOutcome(
  attributes: Attributes,
  isModelCall: boolean,
  streamError?: unknown,
): ExternalOutcome {
  const finishReason = attributes['ai.response.finishReason'];
  return {
    output: outputOf(attributes),
    usage: isModelCall ? usageOf(attributes) : undefined,
    contexts: knownFacts({
      finishReason,
      responseModel: attributes['gen_ai.response.model'] ?? attributes['ai.response.model'],
    }),
    ...failureOf({ finishReason }, streamError),
  };
}

/** What the application gave as `metadata`, by name. */
export function metadataOf(attributes: Attributes): Record<string, unknown> {
  const own = Object.entries(attributes).filter(([name]) => name.startsWith(METADATA));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(METADATA.length), value]));
}

function outputOf(attributes: Attributes): unknown {
  const text = attributes['ai.response.text'];
  const toolCalls = valueOf(attributes['ai.response.toolCalls']);
  if (toolCalls !== undefined) return text === undefined ? { toolCalls } : { text, toolCalls };
  return (
    text ??
    valueOf(attributes['ai.response.object']) ??
    valueOf(attributes['ai.toolCall.result']) ??
    vectorsOf(valueOf(attributes['ai.embedding'])) ??
    vectorsOf(valueOf(attributes['ai.embeddings']))
  );
}

function usageOf(attributes: Attributes): UsageRecord {
  const of = (...names: string[]): unknown =>
    names.map((name) => attributes[name]).find((value) => value !== undefined);
  return {
    ...text('model', of('gen_ai.request.model', 'ai.model.id')),
    ...text('provider', of('gen_ai.system', 'ai.model.provider')),
    ...text('response_model', of('gen_ai.response.model', 'ai.response.model')),
    ...count(
      'input_tokens',
      of('gen_ai.usage.input_tokens', 'ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens'),
    ),
    ...count(
      'output_tokens',
      of('gen_ai.usage.output_tokens', 'ai.usage.outputTokens', 'ai.usage.completionTokens'),
    ),
    ...count('total_tokens', of('ai.usage.totalTokens')),
    ...count('cached_input_tokens', of('ai.usage.cachedInputTokens')),
    ...count('reasoning_tokens', of('ai.usage.reasoningTokens')),
    ...milliseconds('time_to_first_token_ms', of('ai.response.msToFirstChunk')),
    ...readReportedCost(valueOf(attributes['ai.response.providerMetadata'])),
  };
}

/** Values that are no text are attributes in JSON, each entry of a list for itself. */
function valueOf(attribute: unknown): unknown {
  if (Array.isArray(attribute)) return attribute.map((entry: unknown) => valueOf(entry));
  return attribute === null ? undefined : parsed(attribute);
}
