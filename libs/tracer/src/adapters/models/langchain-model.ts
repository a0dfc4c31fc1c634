import type { AnsweredCall } from '../clients/call-model.js';
import type { AnswerFacts, AnswerGatherer } from '../clients/model-method.js';
import type { LangChainMessage } from '../langchain/langchain-types.js';
import { roleAndText, usageOfMessage } from '../langchain/model-facts.js';
import { formatPrompt } from '../prompt.js';
import { type Fields, fieldsOf, fieldsWithout, isFields, parsed, text } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';
import { messageFields, type MessageFields, reviveChunk, reviveResult } from './langchain-messages.js';
import type { ModelKind, ModelRequest } from './model-kind.js';
import { generatedAnswer, promisedAnswer } from './request-kinds.js';

/**
 * A chat model of `@langchain/core` 0.3 and 1. `invoke`, `stream` and `batch`, and the models that `bindTools` and its like return, all
 * ask through the methods that are replaced here, inside the run that callbacks hear of.
 */
export const LANGCHAIN_MODEL: ModelKind = {
  isModel: ({ _generate, invoke, _modelType }) =>
    typeof _generate === 'function' &&
    typeof invoke === 'function' &&
    typeof _modelType === 'function' &&
    Reflect.apply(_modelType, undefined, []) === 'base_chat_model',
  methodsOf: (model) => [
    requestOf(
      'langchain.generate',
      '_generate',
      promisedAnswer({ value: reviveResult, error: revivedError }),
    ),
    ...(streams(model)
      ? [
          requestOf(
            'langchain.stream',
            '_streamResponseChunks',
            generatedAnswer({ value: revivedChunk, error: revivedError }),
          ),
        ]
      : []),
  ],
  // The last two are those of a model that is chosen by configuration.
  makers: ['withConfig', 'bindTools', 'bind', '_getModelInstance', '_model'],
  describe: (model, [, options]) => {
    const parameters = invoked(model, 'getLsParams', options);
    return { ...text('model', parameters['ls_model_name']), ...text('provider', parameters['ls_provider']) };
  },
};

function requestOf(key: string, name: string, kind: ModelRequest['kind']): ModelRequest {
  return {
    key,
    asked: askedOf,
    method: {
      path: [name],
      prompt: (messages) =>
        formatPrompt(Object.values(messages).map((message) => roleAndText(message as LangChainMessage))),
      answer: (result) => factsOf(fieldsOf(firstOf(result) ?? result)['message']),
      recorded: name === '_generate' ? recordedResult : recordedGeneration,
      gather: () => new ChunkGatherer(),
    },
    kind,
    runOf: ([, , manager], openRun) => {
      const { runId } = fieldsOf(manager);
      return typeof runId === 'string' ? openRun(runId) : undefined;
    },
  };
}

/** The base class throws, and LangChain asks whether it is its method that is there. */
function streams(model: Fields): boolean {
  let link: object | null = model;
  let owner: object | null = null;
  for (; link !== null; link = Reflect.getPrototypeOf(link)) {
    if (Object.hasOwn(link, '_streamResponseChunks')) owner ??= link;
    if (Object.hasOwn(link, '_streamIterator') && Object.hasOwn(link, 'generatePrompt')) break;
  }
  return owner !== null && owner !== link;
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

/** Ids of messages are random where LangChain gives them, and are no part of the question. */
function askedOf([messages, options]: readonly unknown[], model: Fields): Fields {
  const parameters = {
    ...fieldsWithout(options, ...HOW_IT_RUNS),
    ...invoked(model, 'invocationParams', options),
  };
  const known = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const asked = Array.isArray(messages)
    ? messages.map((message) => withoutId(messageFields(message)))
    : messages;
  return { messages: asked, ...Object.fromEntries(known) };
}

function withoutId(message: MessageFields): Fields {
  return fieldsWithout(message, 'id', 'class', 'usage_metadata', 'response_metadata');
}

/** Of a method that only reads. */
function invoked(model: Fields, name: string, options: unknown): Fields {
  const method = model[name];
  if (typeof method !== 'function') return {};
  try {
    return fieldsOf(Reflect.apply(method, model, [fieldsOf(options)]));
  } catch {
    return {};
  }
}

function firstOf(result: unknown): unknown {
  const { generations } = fieldsOf(result);
  return Array.isArray(generations) ? (generations as unknown[])[0] : undefined;
}

function recordedResult(result: unknown): unknown {
  const { generations } = fieldsOf(result);
  return Array.isArray(generations)
    ? { ...fieldsOf(result), generations: generations.map((generation) => recordedGeneration(generation)) }
    : result;
}

function recordedGeneration(generation: unknown): unknown {
  const { text: told, message, generationInfo } = fieldsOf(generation);
  return {
    text: told,
    message: messageFields(message),
    ...(generationInfo !== undefined && { generationInfo }),
  };
}

function factsOf(message: unknown): AnswerFacts {
  const { response_metadata, id } = fieldsOf(message);
  const { finish_reason, stop_reason, model_name, model } = fieldsOf(response_metadata);
  return {
    usage: usageOfMessage(message),
    facts: { finishReason: finish_reason ?? stop_reason, responseModel: model_name ?? model, responseId: id },
  };
}

/** A message as LangChain itself puts its chunks together: amounts add up, and calls of tools come in pieces by their index. */
class ChunkGatherer implements AnswerGatherer {
  private text = '';
  private usage: UsageAmounts = {};
  private message: Record<string, unknown> | undefined;
  private readonly calls: Record<string, unknown>[] = [];

  add(generation: unknown): boolean {
    const { message, text: told } = fieldsOf(generation);
    // Those of a chunk are read from its pieces of calls.
    const fields = fieldsWithout(messageFields(message), 'tool_calls');
    const { content, usage_metadata, tool_call_chunks, response_metadata, ...rest } = fields;
    if (typeof told === 'string') this.text += told;
    addAmounts(this.usage, fieldsOf(usage_metadata));
    const before = this.message ?? { content: '' };
    this.message = {
      ...before,
      ...Object.fromEntries(Object.entries(rest).filter(([name]) => before[name] === undefined)),
      content: continued(before['content'], content),
      response_metadata: { ...fieldsOf(before['response_metadata']), ...fieldsOf(response_metadata) },
    };
    const chunks = Array.isArray(tool_call_chunks) ? (tool_call_chunks as unknown[]) : [];
    for (const chunk of chunks) this.addCall(fieldsOf(chunk));
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

  private addCall({ index, name, args, id }: Fields): void {
    const at = typeof index === 'number' && index >= 0 && index < 128 ? index : this.calls.length;
    const call = (this.calls[at] ??= { args: '' });
    if (typeof args === 'string') call['args'] = `${call['args'] as string}${args}`;
    Object.assign(call, { ...text('name', name || undefined), ...text('id', id) });
  }
}

type UsageAmounts = Record<string, unknown>;

function addAmounts(sum: UsageAmounts, added: Fields): void {
  for (const [name, value] of Object.entries(added)) {
    const before = sum[name];
    if (typeof value === 'number') sum[name] = value + (typeof before === 'number' ? before : 0);
    else if (isFields(value)) addAmounts((sum[name] ??= {}) as UsageAmounts, value);
  }
}

/** Content is a text, or a list of blocks. */
function continued(before: unknown, content: unknown): unknown {
  if (typeof before === 'string' && typeof content === 'string') return before + content;
  const list = (value: unknown): unknown[] =>
    Array.isArray(value) ? (value as unknown[]) : value === '' || value === undefined ? [] : [value];
  return [...list(before), ...list(content)];
}

/** Models tell the run of each chunk as they make it. */
async function revivedChunk(recorded: unknown, call: AnsweredCall): Promise<unknown> {
  const chunk = reviveChunk(recorded, call);
  const { handleLLMNewToken } = fieldsOf(call.args[2]);
  if (typeof handleLLMNewToken === 'function') {
    const at = { prompt: 0, completion: 0 };
    const rest = [undefined, undefined, undefined, { chunk }];
    await Reflect.apply(handleLLMNewToken, call.args[2], [fieldsOf(chunk)['text'] ?? '', at, ...rest]);
  }
  return chunk;
}

/** A model keeps the vendor's client under a name of its own. */
function revivedError(error: unknown, { client: model }: AnsweredCall): unknown {
  const clients = Object.values(model).filter((value) => isFields(value) && 'APIError' in value.constructor);
  return withVendorClass(error, ...clients.map((client) => fieldsOf(client).constructor));
}
