import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { OtlpMessage } from './messages.js';

/** Writes messages with parts, as in `gen_ai.input.messages` and `gen_ai.output.messages`. */
export function writeMessages(messages: readonly OtlpMessage[]): JsonObject[] {
  return messages.map(({ role, content, ...rest }) => ({
    role,
    parts: (Array.isArray(content) ? content : [content]).map(writePart),
    ...rest,
  }));
}

function writePart(part: JsonValue): JsonValue {
  if (!isJsonObject(part))
    return { type: 'text', content: typeof part === 'string' ? part : JSON.stringify(part) };
  const { type, text, ...rest } = part;
  switch (type) {
    case 'text':
    case 'reasoning':
      return { ...rest, type, content: text ?? '' };
    case 'tool-call':
      return {
        type: 'tool_call',
        id: part['toolCallId'] ?? null,
        name: part['toolName'] ?? null,
        arguments: part['input'] ?? null,
      };
    case 'tool-result':
      return { type: 'tool_call_response', id: part['toolCallId'] ?? null, response: part['output'] ?? null };
    default:
      return part;
  }
}
