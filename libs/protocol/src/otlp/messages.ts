import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { parseText } from './read-value.js';

/** A message of any convention, in one form: its content is a text, or parts like those of the AI SDK. */
export interface OtlpMessage extends JsonObject {
  role: string;
  content: JsonValue;
}

/** Reads the messages of any convention: a list, one message, a text, or an AI SDK prompt with `system`, `messages` and `prompt`. */
export function readMessages(value: JsonValue, role: string): OtlpMessage[] {
  if (Array.isArray(value)) {
    const isParts = value.length > 0 && value.every((item) => isJsonObject(item) && isBarePart(item));
    return isParts
      ? [{ role, content: simplify(value.map(readPart)) }]
      : value.flatMap((item) => readMessage(item, role));
  }
  if (isJsonObject(value) && !('role' in value) && ('messages' in value || 'prompt' in value)) {
    const { system, messages, prompt } = value;
    return [
      ...(typeof system === 'string' ? [{ role: 'system', content: system }] : []),
      ...[messages, prompt].flatMap((list) =>
        list === undefined || list === null ? [] : readMessages(list, role),
      ),
    ];
  }
  return readMessage(value, role);
}

/** Puts the instructions before the messages, unless these have a system message. */
export function withSystem(system: JsonValue | undefined, messages: OtlpMessage[]): OtlpMessage[] {
  const hasOwn = messages.some(({ role }) => role === 'system' || role === 'developer');
  if (system === undefined || system === '' || hasOwn) return messages;
  return [...readMessages(system, 'system'), ...messages];
}

/** Whether a list item is a part without a message, as in system instructions. */
function isBarePart(item: JsonObject): boolean {
  return (
    typeof item['type'] === 'string' &&
    !('role' in item) &&
    !('message' in item) &&
    ('content' in item || 'text' in item)
  );
}

function readMessage(item: JsonValue, defaultRole: string): OtlpMessage[] {
  if (item === null) return [];
  if (!isJsonObject(item))
    return [{ role: defaultRole, content: typeof item === 'string' ? item : JSON.stringify(item) }];
  const message = isJsonObject(item['message']) ? item['message'] : item;
  const {
    role: ownRole,
    content: ownContent,
    parts,
    contents,
    tool_calls: calls,
    toolCalls,
    tool_call_id: toolCallId,
    id,
    ...rest
  } = message;
  const role = typeof ownRole === 'string' && ownRole !== '' ? ownRole : defaultRole;
  const body = parts ?? contents ?? (typeof ownContent === 'string' ? parseParts(ownContent) : ownContent);
  const callId = toolCallId ?? (role === 'tool' ? id : undefined);
  const more: JsonObject = { ...rest, ...(message === item ? {} : omit(item, 'message')) };
  if (id !== undefined && callId === undefined) more['id'] = id;
  const listed = toParts(body);
  const hasResult = listed.some((part) => isJsonObject(part) && part['type'] === 'tool-result');
  if (role === 'tool' && callId !== undefined && !hasResult) {
    const output = Array.isArray(body) ? listed : (body ?? null);
    return [{ ...more, role, content: [{ type: 'tool-result', toolCallId: callId, output }] }];
  }
  const called = listCalls(calls ?? toolCalls).map(readCall);
  return [{ ...more, role, content: simplify([...listed, ...called]) }];
}

function omit(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** Some senders write a list of parts as JSON text. */
function parseParts(text: string): JsonValue {
  if (!text.startsWith('[{')) return text;
  const parsed = parseText(text);
  const isParts = Array.isArray(parsed) && parsed.every((part) => isJsonObject(part) && 'type' in part);
  return isParts ? parsed : text;
}

function toParts(body: JsonValue | undefined): JsonValue[] {
  if (body === undefined || body === null || body === '') return [];
  return Array.isArray(body) ? body.map(readPart) : [readPart(body)];
}

function listCalls(calls: JsonValue | undefined): JsonValue[] {
  const list = typeof calls === 'string' ? parseText(calls) : calls;
  return Array.isArray(list) ? list : [];
}

/** Replaces a single text part by its text. */
function simplify(parts: JsonValue[]): JsonValue {
  const [first] = parts;
  if (first === undefined) return '';
  const isText =
    parts.length === 1 && isJsonObject(first) && first['type'] === 'text' && Object.keys(first).length === 2;
  return isText ? (first['text'] ?? '') : parts;
}

/** Converts a part to the form of the AI SDK. Keeps unknown parts as they are. */
function readPart(part: JsonValue): JsonValue {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isJsonObject(part)) return part;
  const inner = part['message_content'];
  if (isJsonObject(inner)) return readPart(inner);
  const { type, content, text } = part;
  switch (type) {
    case 'text':
    case 'reasoning': {
      const said = text ?? content;
      return typeof said === 'string' ? { ...omit(part, 'content'), text: said } : part;
    }
    case 'tool_call':
    case 'tool-call':
      return readCall(part);
    case 'tool_call_response': {
      const { id, response, result, ...rest } = part;
      return { ...rest, type: 'tool-result', toolCallId: id ?? null, output: response ?? result ?? null };
    }
    default:
      return part;
  }
}

function readCall(call: JsonValue): JsonValue {
  const wrapped = isJsonObject(call) && isJsonObject(call['tool_call']) ? call['tool_call'] : call;
  if (!isJsonObject(wrapped)) return wrapped;
  const named = isJsonObject(wrapped['function']) ? wrapped['function'] : wrapped;
  const args = named['arguments'] ?? named['args'] ?? named['input'];
  return {
    type: 'tool-call',
    toolCallId: wrapped['id'] ?? wrapped['toolCallId'] ?? null,
    toolName: named['name'] ?? named['toolName'] ?? null,
    input: typeof args === 'string' ? parseText(args) : (args ?? null),
  };
}
