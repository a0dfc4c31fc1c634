import { formatPrompt, type Members, toMembers, hasMembers, toList } from '@dacapo/protocol';
import { append } from '../clients/gathered.js';
import type { AnsweredCall } from '../clients/answer-kind.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import type { LangChainMessage } from '../langchain/langchain-types.js';
import { addressIn, roleAndText, readMessageUsage } from '../langchain/model-facts.js';
import { loaded } from '../late.js';
import { membersWithout, parsed, text } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';
import { messageFields, type MessageFields, reviveChunk, reviveResult } from './langchain-messages.js';
import type { ModelKind, ModelRequest } from './model-kind.js';
import { generatedAnswer, promisedAnswer } from './request-kinds.js';

/**
 * A chat model of `@langchain/core` 0.3 and 1. `invoke`, `stream` and `batch`, and the models that `bindTools` and similar methods return,
 * send their requests by the methods that are replaced here, inside the run that callbacks observe.
 */
export const LANGCHAIN_MODEL: ModelKind = {
  requests: [
    defineRequest(
      'langchain.generate',
      '_generate',
      promisedAnswer({ value: reviveResult, error: revivedError }),
    ),
    defineRequest(
      'langchain.stream',
      '_streamResponseChunks',
      generatedAnswer({ value: revivedChunk, error: revivedError }),
    ),
  ],
  describe: (model, [, options]) => {
    const parameters = invoked(model, 'getLsParams', options);
    return { ...text('model', parameters['ls_model_name']), ...text('provider', parameters['ls_provider']) };
  },
  findAddress: ({ lc_kwargs: settings }) => addressIn(settings),
};

function defineRequest(key: string, name: string, kind: ModelRequest['kind']): ModelRequest {
  const reader: ModelReader = {
    prompt: ({ messages }) =>
      Array.isArray(messages) ? formatPrompt((messages as LangChainMessage[]).map(roleAndText)) : undefined,
    answer: (result) => readFacts(toMembers(firstGenerations(result) ?? result)['message']),
    recorded: name === '_generate' ? recordedResult : recordedGeneration,
    gather: () => new ChunkGatherer(),
  };
  return {
    key,
    recordedRequest,
    method: { path: [name], reader: loaded(reader) },
    kind,
    findRun: ([, , manager], openRun) => {
      const { runId } = toMembers(manager);
      return typeof runId === 'string' ? openRun(runId) : undefined;
    },
  };
}

const HOW_IT_RUNS = [
  'callbacks',
  'signal',
  'timeout',
  'metadata',
  'tags',
  'configurable',
  'recursionLimit',
  'maxConcurrency',
  'runId',
  'runName',
  'promptIndex',
  'store',
  'context',
  'executionInfo',
  'serverInfo',
  'streamMode',
  'writer',
];

/** LangChain's message ids are random, so they are not part of the request. */
function recordedRequest([messages, options]: readonly unknown[], model: Members): Members {
  const parameters = {
    ...membersWithout(options, ...HOW_IT_RUNS),
    ...invoked(model, 'invocationParams', options),
  };
  const known = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const recordedRequest = Array.isArray(messages)
    ? messages.map((message) => withoutId(messageFields(message)))
    : messages;
  return { messages: recordedRequest, ...Object.fromEntries(known) };
}

function withoutId(message: MessageFields): Members {
  return membersWithout(message, 'id', 'class', 'usage_metadata', 'response_metadata');
}

/** Calls a method that only reads. */
function invoked(model: Members, name: string, options: unknown): Members {
  const method = model[name];
  if (typeof method !== 'function') return {};
  try {
    return toMembers(Reflect.apply(method, model, [toMembers(options)]));
  } catch {
    return {};
  }
}

function firstGenerations(result: unknown): unknown {
  const { generations } = toMembers(result);
  return Array.isArray(generations) ? (generations as unknown[])[0] : undefined;
}

function recordedResult(result: unknown): unknown {
  const { generations } = toMembers(result);
  return Array.isArray(generations)
    ? { ...toMembers(result), generations: generations.map((generation) => recordedGeneration(generation)) }
    : result;
}

function recordedGeneration(generation: unknown): unknown {
  const { text: told, message, generationInfo } = toMembers(generation);
  return {
    text: told,
    message: messageFields(message),
    ...(generationInfo !== undefined && { generationInfo }),
  };
}

function readFacts(message: unknown): AnswerFacts {
  const { response_metadata, id } = toMembers(message);
  const { finish_reason, stop_reason, model_name, model } = toMembers(response_metadata);
  return {
    usage: readMessageUsage(message),
    facts: { finishReason: finish_reason ?? stop_reason, responseModel: model_name ?? model, responseId: id },
  };
}

/** Merges chunks like LangChain: amounts add up, and tool calls are merged by their index. */
class ChunkGatherer implements AnswerGatherer {
  private text = '';
  private usage: UsageAmounts = {};
  private message: Record<string, unknown> | undefined;
  private readonly calls: Record<string, unknown>[] = [];

  add(generation: unknown): boolean {
    const { message, text: told } = toMembers(generation);
    // The tool calls of a chunk are read from its pieces.
    const fields = membersWithout(messageFields(message), 'tool_calls');
    const { content, usage_metadata, tool_call_chunks, response_metadata, ...rest } = fields;
    if (typeof told === 'string') this.text += told;
    addAmounts(this.usage, toMembers(usage_metadata));
    const before = this.message ?? { content: '' };
    this.message = {
      ...before,
      ...Object.fromEntries(Object.entries(rest).filter(([name]) => before[name] === undefined)),
      content: continued(before['content'], content),
      response_metadata: { ...toMembers(before['response_metadata']), ...toMembers(response_metadata) },
    };
    const chunks = toList(tool_call_chunks);
    for (const chunk of chunks) this.addCall(toMembers(chunk));
    return told !== '' || chunks.length > 0;
  }

  answer(): unknown {
    const { text: told, usage, message, calls } = this;
    if (message === undefined) return undefined;
    const tool_calls = calls
      .filter(Boolean)
      .map(({ name, args, id }) => ({ name, args: parsed(args), id, type: 'tool_call' }));
    return {
      text: told,
      message: {
        ...message,
        class: 'AIMessage',
        ...(Object.keys(usage).length > 0 && { usage_metadata: usage }),
        ...(tool_calls.length > 0 && { tool_calls }),
      },
    };
  }

  private addCall({ index, name, args, id }: Members): void {
    const at = typeof index === 'number' && index >= 0 && index < 128 ? index : this.calls.length;
    const call = (this.calls[at] ??= { args: '' });
    append(call, 'args', args);
    Object.assign(call, { ...text('name', name || undefined), ...text('id', id) });
  }
}

type UsageAmounts = Record<string, unknown>;

function addAmounts(sum: UsageAmounts, added: Members): void {
  for (const [name, value] of Object.entries(added)) {
    const before = sum[name];
    if (typeof value === 'number') sum[name] = value + (typeof before === 'number' ? before : 0);
    else if (hasMembers(value)) addAmounts((sum[name] ??= {}) as UsageAmounts, value);
  }
}

/** Content is a text, or a list of blocks. */
function continued(before: unknown, content: unknown): unknown {
  if (typeof before === 'string' && typeof content === 'string') return before + content;
  const list = (value: unknown): unknown[] =>
    Array.isArray(value) ? (value as unknown[]) : value === '' || value === undefined ? [] : [value];
  return [...list(before), ...list(content)];
}

/** Models report each chunk to the run. */
async function revivedChunk(recorded: unknown, call: AnsweredCall): Promise<unknown> {
  const chunk = reviveChunk(recorded, call);
  const { handleLLMNewToken } = toMembers(call.args[2]);
  if (typeof handleLLMNewToken === 'function') {
    const at = { prompt: 0, completion: 0 };
    const rest = [undefined, undefined, undefined, { chunk }];
    await Reflect.apply(handleLLMNewToken, call.args[2], [toMembers(chunk)['text'] ?? '', at, ...rest]);
  }
  return chunk;
}

/** Each model class stores the vendor's client under another name. */
function revivedError(error: unknown, { client: model }: AnsweredCall): unknown {
  const clients = Object.values(model).filter(
    (value) => hasMembers(value) && 'APIError' in value.constructor,
  );
  return withVendorClass(error, ...clients.map((client) => toMembers(client).constructor));
}
