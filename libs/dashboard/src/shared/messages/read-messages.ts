import { isJsonObject, type JsonObject, type JsonValue } from '@dacapo/protocol';
import { type MessagePart, partOf, toolCallOf } from './message-part.js';

/** One message of a conversation with a model, whoever's client it was made for. */
export interface Message {
  /** As it was recorded, but for `human` and `ai`, which are `user` and `assistant`. */
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

/** Items of the OpenAI Responses API that are no messages, and who says them. */
const ITEM_ROLES = new Map(
  Object.entries({
    function_call: 'assistant',
    custom_tool_call: 'assistant',
    reasoning: 'assistant',
    function_call_output: 'tool',
    custom_tool_call_output: 'tool',
  }),
);

/** The messages that a call was made with: of its first argument that holds some; `undefined` when none does. */
export function readPrompt(input: readonly JsonValue[] | undefined): Message[] | undefined {
  for (const argument of input ?? []) {
    const messages = Array.isArray(argument) ? listOfMessages(argument) : requestMessages(argument);
    if (messages) return messages;
  }
  return undefined;
}

/** The messages that a model answered with; `undefined` when the output is something else. */
export function readAnswer(output: JsonValue | undefined): Message[] | undefined {
  if (Array.isArray(output)) return listOfMessages(output) ?? answersOf(output);
  if (!isJsonObject(output)) return undefined;
  const { choices, candidates, output: items, content } = output;
  if (Array.isArray(choices)) return listOfMessages(choices.map((choice) => fieldOf(choice, 'message')));
  if (Array.isArray(candidates)) return listOfMessages(candidates.map((one) => fieldOf(one, 'content')));
  if (Array.isArray(items)) return listOfMessages(items);
  const own = messageOf(output);
  if (own) return [own];
  // The AI SDK's results: parts that nobody signed.
  const isParts = Array.isArray(content) && content.length > 0 && content.every(isTyped);
  return isParts ? [{ role: 'assistant', parts: content.map(partOf) }] : undefined;
}

/** Several answers of a model, such as an agent's. */
function answersOf(list: readonly JsonValue[]): Message[] | undefined {
  const answers = list.map((answer) => (isJsonObject(answer) ? readAnswer(answer) : undefined));
  return answers.length > 0 && answers.every((one) => one !== undefined) ? answers.flat() : undefined;
}

/** A body of a request: messages under one of the known names, with the instructions before them. */
function requestMessages(request: JsonValue): Message[] | undefined {
  if (!isJsonObject(request)) return undefined;
  const { messages, input, contents, prompt, config } = request;
  const instructions =
    request['system'] ??
    request['instructions'] ??
    request['systemInstruction'] ??
    fieldOf(config, 'systemInstruction');
  const asked = messages ?? contents ?? input ?? prompt;
  const said = isOneText(asked, request)
    ? [textMessage('user', asked)]
    : Array.isArray(asked) && listOfMessages(asked);
  if (!said) return undefined;
  return [...systemMessages(instructions), ...said];
}

/** A text alone may be anything; beside a model's name it is what the model was asked. */
function isOneText(asked: JsonValue | undefined, request: JsonObject): asked is string {
  return typeof asked === 'string' && typeof request['model'] === 'string';
}

function systemMessages(instructions: JsonValue | undefined): Message[] {
  if (typeof instructions === 'string') return [textMessage('system', instructions)];
  const parts = Array.isArray(instructions) ? instructions : fieldOf(instructions, 'parts');
  return Array.isArray(parts) ? [{ role: 'system', parts: parts.map(partOf) }] : [];
}

/** Nothing unless every entry is a message: a list that is half understood would be half shown. */
function listOfMessages(list: readonly (JsonValue | undefined)[]): Message[] | undefined {
  const messages = list.map(messageOf);
  const isWhole = messages.length > 0 && messages.every((message) => message !== undefined);
  return isWhole ? messages : undefined;
}

function messageOf(item: JsonValue | undefined): Message | undefined {
  if (!isJsonObject(item)) return undefined;
  const itemRole = ITEM_ROLES.get(textOf(item['type']));
  if (itemRole !== undefined && item['role'] === undefined) return { role: itemRole, parts: [partOf(item)] };
  const fields = langChainFields(item);
  const role = typeof fields['role'] === 'string' ? ROLES.get(fields['role']) : undefined;
  const { content, parts, name } = fields;
  const said = content ?? parts;
  const calls = [fields['tool_calls'], fields['function_call']].flat().filter(isJsonObject).map(toolCallOf);
  if (role === undefined || (said === undefined && calls.length === 0 && !('refusal' in fields)))
    return undefined;
  const asked = fields['tool_call_id'];
  const result: JsonValue = {
    type: 'tool_result',
    content: said ?? null,
    tool_use_id: asked ?? null,
    name: name ?? null,
  };
  const own = role === 'tool' && !hasResults(said) ? [partOf(result)] : partsOf(said ?? fields['refusal']);
  const thought = fields['reasoning_content'] ?? fields['reasoning'];
  const thoughts: MessagePart[] =
    typeof thought === 'string' && thought !== '' ? [{ kind: 'reasoning', text: thought }] : [];
  return { role, ...(typeof name === 'string' && { name }), parts: [...thoughts, ...own, ...calls] };
}

/** LangChain's messages, plain or as their `toJSON` makes them: a type in place of a role. */
function langChainFields(item: JsonObject): JsonObject {
  const { id, kwargs, type, data } = item;
  if (isJsonObject(kwargs) && Array.isArray(id)) {
    const kind = /^(Human|AI|System|Tool|Function)Message(Chunk)?$/.exec(textOf(id.at(-1)))?.[1];
    return { ...kwargs, role: kind?.toLowerCase() ?? null };
  }
  if (item['role'] !== undefined || typeof type !== 'string') return item;
  return { ...(isJsonObject(data) ? data : item), role: type };
}

function partsOf(content: JsonValue | undefined): MessagePart[] {
  if (content === undefined || content === null || content === '') return [];
  return Array.isArray(content) ? content.map(partOf) : [partOf(content)];
}

function hasResults(content: JsonValue | undefined): boolean {
  return Array.isArray(content) && content.some((part) => partOf(part).kind === 'result');
}

function isTyped(part: JsonValue): boolean {
  return typeof fieldOf(part, 'type') === 'string';
}

function textMessage(role: string, text: string): Message {
  return { role, parts: [{ kind: 'text', text }] };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
