import { type JsonValue, type MediaReference, readNotes, type SpanDetail } from '@dacapo/protocol';
import type { MessagePart } from '../../shared/messages/message-part.js';
import { type Message, readAnswer, readPrompt } from '../../shared/messages/read-messages.js';

/** What a turn of a conversation shows. Without messages, it is a call that is not part of a conversation. */
export interface Turn {
  messages: Message[];
  /** Images, sounds and files of the calls that the messages come from. */
  media: MediaReference[];
}

type Call = Pick<SpanDetail, 'span_data'>;

/** Whether the outermost call has both sides of a turn, so no model call has to be read. */
export function isWholeTurn(root: Call): boolean {
  const { input, output, error } = root.span_data;
  const isAsked = readQuestion(input) !== undefined || readSentence(input) !== undefined;
  return isAsked && (error !== undefined || readReply(output) !== undefined);
}

/**
 * What the user said and the final answer: of the outermost call, and what that lacks of the model call. An argument of one word may name
 * something, such as a conversation, so the question of the model call comes first.
 */
export function readTurn(root: Call, model?: Call): Turn {
  const { input, output, error } = root.span_data;
  const ofRoot = readQuestion(input) ?? readSentence(input);
  const ofModel = ofRoot === undefined ? readQuestion(model?.span_data.input) : undefined;
  const asked = ofRoot ?? ofModel ?? readText(input);
  const own = error === undefined ? readReply(output) : undefined;
  const reply = own ?? (error === undefined ? readReply(model?.span_data.output) : undefined);
  if (asked === undefined || (reply === undefined && error === undefined && ofRoot === undefined && !ofModel))
    return { messages: [], media: [] };
  const questions = ofModel === undefined ? root : model;
  const answers = own === undefined ? model : root;
  return {
    messages: [asked, ...(reply ?? [])],
    media: [...listMedia(questions, 'input'), ...(reply === undefined ? [] : listMedia(answers, 'output'))],
  };
}

/** The last message in which the user says something. Results of tools may have the same role. */
function readQuestion(input: JsonValue[] | undefined): Message | undefined {
  return readPrompt(input)?.findLast(
    ({ role, parts }) => role === 'user' && parts.some(({ kind }) => kind === 'text' || kind === 'image'),
  );
}

function readSentence(input: JsonValue[] | undefined): Message | undefined {
  const [only] = input ?? [];
  return typeof only === 'string' && /\S\s+\S/.test(only) ? readText(input) : undefined;
}

/** The only argument, if it is a text. */
function readText(input: JsonValue[] | undefined): Message | undefined {
  const [only] = input ?? [];
  return input?.length === 1 && typeof only === 'string' ? message('user', only) : undefined;
}

/** The messages after the last one of the user: an output may repeat the conversation. */
function readReply(output: JsonValue | undefined): Message[] | undefined {
  if (typeof output === 'string') return [message('assistant', output)];
  const messages = readAnswer(output);
  if (messages === undefined) return undefined;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const reply = messages.slice(asked + 1).filter(({ parts }) => parts.length > 0);
  return reply.length > 0 ? reply : undefined;
}

function message(role: string, text: string): Message {
  const part: MessagePart = { kind: 'text', text };
  return { role, parts: [part] };
}

function listMedia(call: Call | undefined, field: 'input' | 'output'): MediaReference[] {
  return readNotes(call?.span_data.meta?.[field]).cuts.flatMap(([, { media }]) => media ?? []);
}
