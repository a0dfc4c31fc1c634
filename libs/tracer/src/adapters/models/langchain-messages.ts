import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { AnsweredCall } from '../clients/answer-kind.js';
import { findPackage } from '../package-copies.js';
import { membersWithout } from '../readers.js';

/** A message as plain data, with the arguments that its class needs to restore it. */
export type MessageFields = Members;

const FIELDS = [
  'type',
  'content',
  'name',
  'id',
  'additional_kwargs',
  'response_metadata',
  'usage_metadata',
  'tool_calls',
  'invalid_tool_calls',
  'tool_call_chunks',
  'tool_call_id',
  'status',
  'artifact',
  'role',
];

export function messageFields(message: unknown): MessageFields {
  if (!hasMembers(message)) return { content: message };
  const own = FIELDS.flatMap((name) => {
    const value = message[name];
    return value === undefined || isEmpty(value) ? [] : [[name, value] as const];
  });
  // Older versions have no member `type`.
  const type: unknown = (message as { _getType?(): unknown })._getType?.();
  return { class: message.constructor.name, ...(type !== undefined && { type }), ...Object.fromEntries(own) };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return hasMembers(value) && Object.keys(value).length === 0;
}

type MessageClass = new (fields: Members) => object;

interface LangChainClasses {
  readonly AIMessage: MessageClass;
  readonly AIMessageChunk: MessageClass;
  readonly ChatGenerationChunk: MessageClass;
}

const known = new WeakMap<object, LangChainClasses>();

/** The classes of the copy of `@langchain/core` that the model extends. @throws ReplayMockMissError when they cannot be loaded */
function loadClasses(call: AnsweredCall): LangChainClasses {
  const { client: model } = call;
  const found = known.get(model.constructor);
  if (found !== undefined) return found;
  const core = findPackage(model, '@langchain/core', './language_models/chat_models');
  const classes = {
    ...core?.load('@langchain/core', './messages'),
    ...core?.load('@langchain/core', './outputs'),
  } as Partial<LangChainClasses>;
  const { AIMessage, AIMessageChunk, ChatGenerationChunk } = classes;
  if (AIMessage === undefined || AIMessageChunk === undefined || ChatGenerationChunk === undefined)
    throw call.miss('the @langchain/core of its model cannot be loaded, so its messages cannot be rebuilt');
  const all = { AIMessage, AIMessageChunk, ChatGenerationChunk };
  known.set(model.constructor, all);
  return all;
}

/** The result of `_generate`. */
export function reviveResult(recorded: unknown, call: AnsweredCall): unknown {
  const { generations } = toMembers(recorded);
  if (!Array.isArray(generations)) return recorded;
  const classes = loadClasses(call);
  return {
    ...toMembers(recorded),
    generations: generations.map((generation) => ({
      ...toMembers(generation),
      message: reviveMessage(toMembers(generation)['message'], classes),
    })),
  };
}

/** One item of `_streamResponseChunks`. */
export function reviveChunk(recorded: unknown, call: AnsweredCall): object {
  const classes = loadClasses(call);
  const { message } = toMembers(recorded);
  const chunk = { ...toMembers(message), class: 'AIMessageChunk' };
  return new classes.ChatGenerationChunk({ ...toMembers(recorded), message: reviveMessage(chunk, classes) });
}

function reviveMessage(recorded: unknown, { AIMessage, AIMessageChunk }: LangChainClasses): object {
  const fields = membersWithout(recorded, 'class', 'type');
  return new (toMembers(recorded)['class'] === 'AIMessageChunk' ? AIMessageChunk : AIMessage)({
    content: '',
    ...fields,
  });
}
