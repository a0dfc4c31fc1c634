import { isJsonObject, type JsonObject, type JsonValue } from '@dacapo/protocol';
import { readImage } from './read-image.js';

/** A part of a message. An unknown part is kept unchanged as `other`. */
export type MessagePart =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; name: string; arguments: JsonValue | undefined }
  | { kind: 'result'; of?: string; value: JsonValue | undefined }
  | { kind: 'image'; address: string; value: JsonValue }
  | { kind: 'other'; value: JsonValue };

const TEXTS = ['text', 'input_text', 'output_text', 'refusal', 'summary_text', 'reasoning_text'];
const CALLS = ['tool_use', 'server_tool_use', 'tool-call', 'function_call', 'custom_tool_call'];
const RESULTS = ['tool_result', 'tool-result', 'function_call_output', 'custom_tool_call_output'];

export function readPart(part: JsonValue): MessagePart {
  if (typeof part === 'string') return { kind: 'text', text: part };
  if (!isJsonObject(part)) return { kind: 'other', value: part };
  const { type, text, functionCall, functionResponse } = part;
  if (isJsonObject(functionCall)) return readToolCall(functionCall);
  if (isJsonObject(functionResponse)) {
    return readResult(functionResponse['name'], functionResponse['response']);
  }
  const kind = typeof type === 'string' ? type : '';
  if (CALLS.includes(kind)) return readToolCall(part);
  if (RESULTS.includes(kind)) {
    const of =
      part['toolName'] ?? part['name'] ?? part['tool_use_id'] ?? part['call_id'] ?? part['toolCallId'];
    return readResult(of, part['content'] ?? part['output'] ?? part['result']);
  }
  const address = readImage(part);
  if (address !== undefined) return { kind: 'image', address, value: part };
  const reasoning = readReasoning(part, kind);
  if (reasoning !== undefined) return { kind: 'reasoning', text: reasoning };
  const plainText = text ?? part['refusal'];
  const isText = kind === '' || TEXTS.includes(kind);
  return isText && typeof plainText === 'string'
    ? { kind: 'text', text: plainText }
    : { kind: 'other', value: part };
}

/** Reads a tool call in any client's format. Parses arguments that are JSON text. */
export function readToolCall(call: JsonObject): MessagePart {
  const tool = [call['function'], call['custom']].find(isJsonObject) ?? call;
  const name = tool['name'] ?? tool['toolName'];
  const args = tool['arguments'] ?? tool['args'] ?? tool['input'];
  if (typeof name !== 'string') return { kind: 'other', value: call };
  return { kind: 'call', name, arguments: typeof args === 'string' ? parseArguments(args) : args };
}

function readReasoning(part: JsonObject, kind: string): string | undefined {
  if (kind === 'thinking' && typeof part['thinking'] === 'string') return part['thinking'];
  const { text, summary } = part;
  if (part['thought'] === true && typeof text === 'string') return text;
  if (kind !== 'reasoning') return undefined;
  if (typeof text === 'string') return text;
  const texts = Array.isArray(summary)
    ? summary.map((one) => (isJsonObject(one) ? one['text'] : undefined))
    : [];
  return texts.every((one) => typeof one === 'string') && texts.length > 0 ? texts.join('\n\n') : undefined;
}

function readResult(of: JsonValue | undefined, value: JsonValue | undefined): MessagePart {
  const texts = Array.isArray(value)
    ? value.map(readPart).flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    : [];
  const isText = Array.isArray(value) && value.length > 0 && texts.length === value.length;
  return {
    kind: 'result',
    ...(typeof of === 'string' && { of }),
    value: isText ? texts.join('\n') : value,
  };
}

function parseArguments(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return json;
  }
}
