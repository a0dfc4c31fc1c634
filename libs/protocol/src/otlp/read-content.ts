import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { PromptFormat } from '../prompts/prompt-formats.js';
import type { SpanData } from '../records/span.js';
import { type OtlpMessage, readMessages, withSystem } from './messages.js';
import type { AttributeFacts } from './read-attributes.js';
import type { EventFacts } from './read-events.js';
import type { TypeAndKind } from './span-types.js';

interface Content extends Pick<SpanData, 'input' | 'output' | 'prompt'> {
  /** The input is the messages of a model call, from which the prompt is read. */
  readonly promptFormat?: PromptFormat;
}

const FORMAT: PromptFormat = 'otlp.messages';

/** Reads the input, output and prompt of a call. */
export function readContent(
  type: TypeAndKind[0],
  kind: TypeAndKind[1],
  facts: AttributeFacts,
  events: EventFacts,
): Content {
  const { values } = facts;
  const recordedInput = values.get('recorded_input');
  const recordedPrompt = values.get('prompt');
  const messages = readInputMessages(facts, events);
  const isTool = kind === 'tool';
  const input =
    (isTool ? values.get('arguments') : undefined) ??
    (messages.length > 0 ? messages : undefined) ??
    values.get('input') ??
    values.get('arguments');
  // A recorded output may be null.
  const output = values.has('recorded_output')
    ? values.get('recorded_output')
    : readOutput(type, isTool, facts, events);
  const isPrompt = type === 'llm' && recordedInput === undefined && input === messages;
  return {
    ...(Array.isArray(recordedInput) ? { input: recordedInput } : input !== undefined && { input: [input] }),
    ...(output !== undefined && { output }),
    ...(typeof recordedPrompt === 'string'
      ? { prompt: recordedPrompt }
      : isPrompt && { promptFormat: FORMAT }),
  };
}

function readInputMessages({ values }: AttributeFacts, events: EventFacts): OtlpMessage[] {
  const own = values.get('input_messages');
  const messages = own === undefined ? [...events.input] : readMessages(own, 'user');
  return withSystem(values.get('system'), messages);
}

function readOutput(
  type: TypeAndKind[0],
  isTool: boolean,
  { values }: AttributeFacts,
  events: EventFacts,
): JsonValue | undefined {
  if (isTool && values.has('result')) return values.get('result');
  const own = values.get('output_messages');
  const messages = own === undefined ? [...events.output] : readMessages(own, 'assistant');
  if (messages.length > 0) return messages.length === 1 ? messages[0] : messages;
  const answered = readAnswer(type, values);
  return answered ?? values.get('output') ?? values.get('result');
}

/** Reads the answer that the AI SDK recorded: a message of a model, or the text of an operation. */
function readAnswer(type: TypeAndKind[0], values: AttributeFacts['values']): JsonValue | undefined {
  const text = values.get('output_text');
  const reasoning = values.get('output_reasoning');
  const calls = values.get('output_calls');
  if (text === undefined && reasoning === undefined && calls === undefined) return undefined;
  if (type !== 'llm' && calls === undefined) return text;
  const listed = Array.isArray(calls) ? calls : [];
  const parts: JsonObject[] = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...listed.filter(isJsonObject).map((call) => ({ ...call, type: 'tool-call' })),
  ];
  return readMessages([{ role: 'assistant', content: parts }], 'assistant')[0];
}
