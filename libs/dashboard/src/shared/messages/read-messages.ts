import { isJsonObject, type JsonObject, type JsonValue } from '@dacapo/protocol';
import { type MessagePart, readPart, readToolCall } from './message-part.js';

/** One message of a conversation with a model, independent of the client. */
export interface Message {
  /** The recorded role, except that `human` becomes `user` and `ai` becomes `assistant`. */
  role: string;
  name?: string;
  parts: MessagePart[];
}

const ROLES = new Map(
  Object.entries({
    system: 'system',
    developer: 'developer',
    user: 'user',
    human: 'user',
    assistant: 'assistant',
    ai: 'assistant',
    model: 'model',
    tool: 'tool',
    function: 'tool',
  }),
);

/** Roles of OpenAI Responses API items that are not messages. */
const ITEM_ROLES = new Map(
  Object.entries({
    function_call: 'assistant',
    custom_tool_call: 'assistant',
    reasoning: 'assistant',
    function_call_output: 'tool',
    custom_tool_call_output: 'tool',
  }),
);

/** The messages in the first argument that has some, else `undefined`. */
export function readPrompt(input: readonly JsonValue[] | undefined): Message[] | undefined {
  for (const argument of input ?? []) {
    const messages = Array.isArray(argument) ? readMessageList(argument) : requestMessages(argument);
    if (messages) return messages;
  }
  return undefined;
}

/** The messages in an output, or `undefined` if it has none. */
export function readAnswer(output: JsonValue | undefined): Message[] | undefined {
  if (Array.isArray(output)) return readMessageList(output) ?? readAnswers(output);
  if (!isJsonObject(output)) return undefined;
  const { choices, candidates, output: items, content } = output;
  if (Array.isArray(choices)) return readMessageList(choices.map((choice) => getField(choice, 'message')));
  if (Array.isArray(candidates)) return readMessageList(candidates.map((one) => getField(one, 'content')));
  if (Array.isArray(items)) return readMessageList(items);
  const own = readMessage(output);
  if (own) return [own];
  // The AI SDK's results are parts without a role.
  const isParts = Array.isArray(content) && content.length > 0 && content.every(isTyped);
  return isParts ? [{ role: 'assistant', parts: content.map(readPart) }] : undefined;
}

/** A list of model answers, such as an agent's. */
function readAnswers(list: readonly JsonValue[]): Message[] | undefined {
  const answers = list.map((answer) => (isJsonObject(answer) ? readAnswer(answer) : undefined));
  return answers.length > 0 && answers.every((one) => one !== undefined) ? answers.flat() : undefined;
}

/** Reads a request body: the instructions, then the messages of a known field. */
function requestMessages(request: JsonValue): Message[] | undefined {
  if (!isJsonObject(request)) return undefined;
  const { messages, input, contents, prompt, config } = request;
  const instructions =
    request['system'] ??
    request['instructions'] ??
    request['systemInstruction'] ??
    getField(config, 'systemInstruction');
  const source = messages ?? contents ?? input ?? prompt;
  const turns = isPromptText(source, request)
    ? [textMessage('user', source)]
    : Array.isArray(source) && readMessageList(source);
  if (!turns) return undefined;
  return [...systemMessages(instructions), ...turns];
}

/** A string is a prompt only if the request also names a model. */
function isPromptText(source: JsonValue | undefined, request: JsonObject): source is string {
  return typeof source === 'string' && typeof request['model'] === 'string';
}

function systemMessages(instructions: JsonValue | undefined): Message[] {
  if (typeof instructions === 'string') return [textMessage('system', instructions)];
  const parts = Array.isArray(instructions) ? instructions : getField(instructions, 'parts');
  return Array.isArray(parts) ? [{ role: 'system', parts: parts.map(readPart) }] : [];
}

/** `undefined` unless every entry is a message, so that no entry is dropped. */
function readMessageList(list: readonly (JsonValue | undefined)[]): Message[] | undefined {
  const messages = list.map(readMessage);
  const isWhole = messages.length > 0 && messages.every((message) => message !== undefined);
  return isWhole ? messages : undefined;
}

function readMessage(item: JsonValue | undefined): Message | undefined {
  if (!isJsonObject(item)) return undefined;
  const itemRole = ITEM_ROLES.get(asText(item['type']));
  if (itemRole !== undefined && item['role'] === undefined)
    return { role: itemRole, parts: [readPart(item)] };
  const fields = langChainFields(item);
  const role = typeof fields['role'] === 'string' ? ROLES.get(fields['role']) : undefined;
  const { content, parts, name } = fields;
  const body = content ?? parts;
  const calls = [fields['tool_calls'], fields['function_call']].flat().filter(isJsonObject).map(readToolCall);
  if (role === undefined || (body === undefined && calls.length === 0 && !('refusal' in fields)))
    return undefined;
  const callId = fields['tool_call_id'];
  const result: JsonValue = {
    type: 'tool_result',
    content: body ?? null,
    tool_use_id: callId ?? null,
    name: name ?? null,
  };
  const own =
    role === 'tool' && !hasResults(body) ? [readPart(result)] : readParts(body ?? fields['refusal']);
  const reasoning = fields['reasoning_content'] ?? fields['reasoning'];
  const thoughts: MessagePart[] =
    typeof reasoning === 'string' && reasoning !== '' ? [{ kind: 'reasoning', text: reasoning }] : [];
  return { role, ...(typeof name === 'string' && { name }), parts: [...thoughts, ...own, ...calls] };
}

/** LangChain messages, plain or serialized, have a type instead of a role. */
function langChainFields(item: JsonObject): JsonObject {
  const { id, kwargs, type, data } = item;
  if (isJsonObject(kwargs) && Array.isArray(id)) {
    const kind = /^(Human|AI|System|Tool|Function)Message(Chunk)?$/.exec(asText(id.at(-1)))?.[1];
    return { ...kwargs, role: kind?.toLowerCase() ?? null };
  }
  if (item['role'] !== undefined || typeof type !== 'string') return item;
  return { ...(isJsonObject(data) ? data : item), role: type };
}

function readParts(content: JsonValue | undefined): MessagePart[] {
  if (content === undefined || content === null || content === '') return [];
  return Array.isArray(content) ? content.map(readPart) : [readPart(content)];
}

function hasResults(content: JsonValue | undefined): boolean {
  return Array.isArray(content) && content.some((part) => readPart(part).kind === 'result');
}

function isTyped(part: JsonValue): boolean {
  return typeof getField(part, 'type') === 'string';
}

function textMessage(role: string, text: string): Message {
  return { role, parts: [{ kind: 'text', text }] };
}

function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function getField(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
