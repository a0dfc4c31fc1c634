import type { UsageRecord } from '@dacapo/protocol';
import type { ExternalAttributes, ExternalOutcome } from '../../recording/external-attributes.js';
import { count, knownFacts, milliseconds, parsed, text } from '../readers.js';
import { findFailure, readReportedCost, summarizeVectors } from './outcome-facts.js';
import { buildPrompt } from './messages.js';

export type Attributes = Readonly<Record<string, unknown>>;

const METADATA = 'ai.telemetry.metadata.';

/** Facts from the attributes at the start of a span. Request headers are never read. */
export function attributeInput(attributes: Attributes): ExternalAttributes {
  const messages = parseAttribute(attributes['ai.prompt.messages']);
  const input =
    messages ??
    withBytes(parseAttribute(attributes['ai.prompt'])) ??
    parseAttribute(attributes['ai.toolCall.args']) ??
    parseAttribute(attributes['ai.values']) ??
    parseAttribute(attributes['ai.value']);
  return {
    input: input === undefined ? undefined : [input],
    prompt: messages === undefined ? undefined : buildPrompt(undefined, messages),
    contexts: knownFacts(pickMetadata(attributes)),
    messages: {
      ...pickSettings(attributes),
      tools: parseAttribute(attributes['ai.prompt.tools']),
      toolChoice: parseAttribute(attributes['ai.prompt.toolChoice']),
    },
  };
}

const SETTING = 'gen_ai.request.';

/** Parameters of the model request, without the prompt. */
function pickSettings(attributes: Attributes): Record<string, unknown> {
  const own = Object.entries(attributes).filter(
    ([name]) => name.startsWith(SETTING) && name !== 'gen_ai.request.model',
  );
  return Object.fromEntries(own.map(([name, value]) => [name.slice(SETTING.length), value]));
}

/**
 * Facts from the attributes at its end.
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
    output: readOutput(attributes),
    usage: isModelCall ? readUsage(attributes) : undefined,
    contexts: knownFacts({
      finishReason,
      responseModel: attributes['gen_ai.response.model'] ?? attributes['ai.response.model'],
    }),
    ...findFailure({ finishReason }, streamError),
  };
}

/** Returns the application's `metadata`, by name. */
export function pickMetadata(attributes: Attributes): Record<string, unknown> {
  const own = Object.entries(attributes).filter(([name]) => name.startsWith(METADATA));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(METADATA.length), value]));
}

function readOutput(attributes: Attributes): unknown {
  const text = attributes['ai.response.text'];
  const toolCalls = parseAttribute(attributes['ai.response.toolCalls']);
  if (toolCalls !== undefined) return text === undefined ? { toolCalls } : { text, toolCalls };
  return (
    text ??
    parseAttribute(attributes['ai.response.object']) ??
    parseAttribute(attributes['ai.toolCall.result']) ??
    summarizeVectors(parseAttribute(attributes['ai.embedding'])) ??
    summarizeVectors(parseAttribute(attributes['ai.embeddings']))
  );
}

function readUsage(attributes: Attributes): UsageRecord {
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
    ...readReportedCost(parseAttribute(attributes['ai.response.providerMetadata'])),
  };
}

/** Shorter byte values stay unchanged. */
const LEAST_BYTES = 256;

/** The AI SDK writes the bytes of an image as an object of numbers. */
function withBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withBytes);
  const names = Object.keys(value);
  if (names.length >= LEAST_BYTES && names.every((name, index) => name === String(index))) {
    const bytes: unknown[] = Object.values(value);
    const isByte = (byte: unknown): byte is number =>
      typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte <= 255;
    if (bytes.every(isByte)) return Uint8Array.from(bytes);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBytes(member)]));
}

/** Values that are not texts are JSON attributes, one per list entry. */
function parseAttribute(attribute: unknown): unknown {
  if (Array.isArray(attribute)) return attribute.map((entry: unknown) => parseAttribute(entry));
  return attribute === null ? undefined : parsed(attribute);
}
