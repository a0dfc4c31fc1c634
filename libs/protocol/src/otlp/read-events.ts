import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { type OtlpMessage, readMessages } from './messages.js';
import type { OtlpEvent } from './otlp-span.js';
import { parseText, readValue } from './read-value.js';
import { SCORE_ATTRIBUTE } from './write-score.js';

/** A score in an event. */
export interface OtlpScore {
  readonly name: string;
  readonly value: number | string | null;
  readonly label?: string;
  readonly explanation?: string;
  /** The whole score, if Dacapo exported it. Not validated. */
  readonly recorded?: JsonObject;
  readonly timeNanos: bigint;
}

/** The content of a span's events. */
export interface EventFacts {
  /** Attributes that count as attributes of the span. */
  readonly attributes: JsonObject;
  readonly input: readonly OtlpMessage[];
  readonly output: readonly OtlpMessage[];
  readonly scores: readonly OtlpScore[];
  readonly exception?: JsonObject;
  readonly others: readonly OtlpEvent[];
}

/** Events with messages of the input, in the conventions up to 1.36. */
const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;

/** Events of the GenAI conventions that are read, for the documentation. @public */
export const OTLP_EVENTS: Readonly<Record<string, string>> = {
  exception: '`error`, if the span failed',
  'gen_ai.client.inference.operation.details': 'its attributes count as those of the span',
  'gen_ai.system.message': 'a message of the input',
  'gen_ai.user.message': 'a message of the input',
  'gen_ai.assistant.message': 'a message of the input',
  'gen_ai.tool.message': 'a message of the input',
  'gen_ai.choice': 'the message of the output',
  'gen_ai.content.prompt': 'the messages of the input',
  'gen_ai.content.completion': 'the message of the output',
  'gen_ai.evaluation.result': 'a score of the span; the whole score if it has `dacapo.score`',
};

/** Reads the events of a span. Never throws. */
export function readEvents(events: readonly OtlpEvent[]): EventFacts {
  let attributes: JsonObject = {};
  let exception: JsonObject | undefined;
  const input: OtlpMessage[] = [];
  const output: OtlpMessage[] = [];
  const scores: OtlpScore[] = [];
  const others: OtlpEvent[] = [];
  for (const event of events) {
    const role = MESSAGE_EVENT.exec(event.name)?.[1];
    if (role !== undefined) input.push(...readMessages(readBody(event.attributes), role));
    else if (event.name === 'gen_ai.client.inference.operation.details')
      attributes = { ...attributes, ...event.attributes };
    else if (event.name === 'gen_ai.choice') output.push(...readChoice(event.attributes));
    else if (event.name === 'gen_ai.content.prompt')
      input.push(...readMessages(parsed(event.attributes['gen_ai.prompt'] ?? ''), 'user'));
    else if (event.name === 'gen_ai.content.completion')
      output.push(...readMessages(parsed(event.attributes['gen_ai.completion'] ?? ''), 'assistant'));
    else if (event.name === 'exception') {
      exception ??= event.attributes;
      if (exception !== event.attributes) others.push(event);
    } else {
      const score = event.name === 'gen_ai.evaluation.result' ? readScore(event) : undefined;
      if (score === undefined) others.push(event);
      else scores.push(score);
    }
  }
  return { attributes, input, output, scores, ...(exception && { exception }), others };
}

/** Attributes of a message's event that are not part of the message. */
const ENVELOPE = new Set(['gen_ai.system', 'gen_ai.provider.name', 'event.name', 'gen_ai.event.content']);

/** Returns the body of a message's event: its attributes, or the JSON in one of them. */
function readBody(attributes: JsonObject): JsonObject {
  const body = parsed(attributes['gen_ai.event.content'] ?? null);
  const own = isJsonObject(body) ? body : attributes;
  return Object.fromEntries(
    Object.entries(own)
      .filter(([name]) => !ENVELOPE.has(name))
      .map(([name, value]) => [name, name === 'tool_calls' ? parsed(value) : value]),
  );
}

function readChoice(attributes: JsonObject): OtlpMessage[] {
  const { message, index, finish_reason: reason, ...rest } = readBody(attributes);
  const said = parsed(message ?? null);
  const body: JsonObject = isJsonObject(said) ? said : said === null ? rest : { content: said, ...rest };
  const facts: JsonObject = {
    ...(reason !== undefined && { finish_reason: reason }),
    ...(typeof index === 'number' && index > 0 && { index }),
  };
  return readMessages({ ...body, ...facts }, 'assistant');
}

function readScore({ attributes, timeNanos }: OtlpEvent): OtlpScore | undefined {
  const name = readValue(attributes['gen_ai.evaluation.name'] ?? null, 'text');
  if (typeof name !== 'string') return undefined;
  const amount = attributes['gen_ai.evaluation.score.value'];
  const label = readValue(attributes['gen_ai.evaluation.score.label'] ?? null, 'text');
  const explanation = readValue(attributes['gen_ai.evaluation.explanation'] ?? null, 'text');
  const recorded = parsed(attributes[SCORE_ATTRIBUTE] ?? null);
  const value = typeof amount === 'number' && Number.isFinite(amount) ? amount : undefined;
  return {
    name,
    value: value ?? (typeof label === 'string' ? label : null),
    ...(value !== undefined && typeof label === 'string' && { label }),
    ...(typeof explanation === 'string' && { explanation }),
    ...(isJsonObject(recorded) && { recorded }),
    timeNanos,
  };
}

function parsed(value: JsonValue): JsonValue {
  return typeof value === 'string' ? parseText(value) : value;
}
