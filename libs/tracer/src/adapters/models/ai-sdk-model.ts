import { type UsageRecord, type Members, toMembers, hasMembers } from '@dacapo/protocol';
import { buildPrompt } from '../ai-sdk/messages.js';
import { append, type Gathered } from '../clients/gathered.js';
import type { AnsweredCall } from '../clients/answer-kind.js';
import { errorFromText } from '../../recording/external-attributes.js';
import type { AnyFunction } from '../../recording/span-definition.js';
import type {
  AnswerFacts,
  AnswerGatherer,
  AnswerVerdict,
  ModelMethod,
  ModelReader,
} from '../clients/model-method.js';
import { loaded } from '../late.js';
import { count, membersWithout, text } from '../readers.js';
import type { ModelKind } from './model-kind.js';
import { promisedAnswer, promisedStream } from './request-kinds.js';

/** A language model of the AI SDK, of any specification version, also one that a middleware wraps. */
export const AI_SDK_MODEL: ModelKind = {
  requests: [
    {
      key: 'ai.doGenerate',
      recordedRequest,
      method: defineMethod('doGenerate'),
      kind: promisedAnswer({ error: withMarker }),
    },
    {
      key: 'ai.doStream',
      recordedRequest,
      method: defineMethod('doStream'),
      kind: promisedStream({ value: revivedPart, error: withMarker }, streamResult),
    },
  ],
  describe: ({ modelId, provider }) => ({ ...text('model', modelId), ...text('provider', provider) }),
  findAddress: ({ config, modelId }) => {
    const { baseURL, url } = toMembers(config);
    // A function in most packages of providers, which only joins texts.
    const join = typeof url === 'function' ? (url as AnyFunction) : undefined;
    const address: unknown = join && Reflect.apply(join, config, [{ path: '', modelId }]);
    return baseURL ?? address;
  },
};

function defineMethod(name: string): ModelMethod {
  const reader: ModelReader = {
    prompt: ({ prompt }) => buildPrompt(undefined, prompt),
    answer: readFacts,
    verdict: readVerdict,
    ...(name === 'doGenerate' && { recorded: recordedAnswer }),
    gather: () => new PartGatherer(),
  };
  return { path: [name], reader: loaded(reader) };
}

/** Headers are not part of the request: they contain the package version. */
function recordedRequest([options]: readonly unknown[]): Members {
  return membersWithout(options, 'abortSignal', 'headers');
}

/** Omits the request and response bodies, which repeat the answer. */
function recordedAnswer(answer: unknown): unknown {
  const { response, ...rest } = membersWithout(answer, 'request', 'rawResponse');
  return response === undefined ? rest : { ...rest, response: membersWithout(response, 'body') };
}

function streamResult(stream: ReadableStream, { client }: AnsweredCall): object {
  const { specificationVersion } = toMembers(client);
  return specificationVersion === 'v1'
    ? { stream, rawCall: { rawPrompt: null, rawSettings: {} } }
    : { stream };
}

function revivedPart(part: unknown): unknown {
  const { type, error } = toMembers(part);
  return type === 'error' ? { ...toMembers(part), error: withMarker(error) } : part;
}

const ERROR_NAME = /^AI_\w+$/;

/** `APICallError.isInstance(error)` and the SDK's retries check a marker, which is the same in every copy of the package. */
function withMarker(error: unknown): unknown {
  if (!(error instanceof Error) || !ERROR_NAME.test(error.name)) return error;
  for (const marker of ['vercel.ai.error', `vercel.ai.error.${error.name}`])
    Object.defineProperty(error, Symbol.for(marker), { value: true, configurable: true });
  return error;
}

/** A stream reports its failure as a part, and then ends normally. */
function readVerdict(answer: unknown): AnswerVerdict | undefined {
  const { error, finishReason } = toMembers(answer);
  const reason = readFinishReason(finishReason);
  if (error instanceof Error) return { status: 'error', error };
  if (error !== undefined || reason === 'error')
    return {
      status: 'error',
      error: errorFromText('AiSdkError', typeof error === 'string' ? error : 'The model broke off'),
    };
  return reason === 'length' || reason === 'content-filter' ? { level: 'warn' } : undefined;
}

function readFacts(answer: unknown): AnswerFacts {
  const { usage, finishReason, response, error } = toMembers(answer);
  const { modelId, id } = toMembers(response);
  return {
    usage: readUsage(usage),
    facts: { finishReason: readFinishReason(finishReason), responseModel: modelId, responseId: id },
    content: { error: error instanceof Error ? error.message : error },
  };
}

function readFinishReason(finishReason: unknown): unknown {
  return hasMembers(finishReason) ? finishReason['unified'] : finishReason;
}

/** In three forms: prompt and completion tokens, flat amounts, or amounts with parts. */
function readUsage(usage: unknown): UsageRecord {
  const { inputTokens, outputTokens, promptTokens, completionTokens, ...flat } = toMembers(usage);
  const [input, output] = [toMembers(inputTokens), toMembers(outputTokens)];
  return {
    ...count('input_tokens', input['total'] ?? inputTokens ?? promptTokens),
    ...count('output_tokens', output['total'] ?? outputTokens ?? completionTokens),
    ...count('total_tokens', flat['totalTokens']),
    ...count('cached_input_tokens', input['cacheRead'] ?? flat['cachedInputTokens']),
    ...count('cache_creation_input_tokens', input['cacheWrite']),
    ...count('reasoning_tokens', output['reasoning'] ?? flat['reasoningTokens']),
  };
}

const ABOUT_THE_ANSWER = new Set(['stream-start', 'response-metadata', 'finish', 'error', 'raw']);
/** For each type of part, the kind of content that it continues. Other parts are complete content. A tool's complete input follows its pieces. */
const PIECES: Readonly<Record<string, string>> = {
  'text-start': 'text',
  'text-delta': 'text',
  'text-end': 'text',
  'reasoning-start': 'reasoning',
  'reasoning-delta': 'reasoning',
  'reasoning-end': 'reasoning',
  reasoning: 'reasoning',
};
const PARTIAL = /^tool-(input|call)-(start|delta|end)$|^(object|reasoning-signature|redacted-reasoning)$/;

/** Merges the parts to the result that `doGenerate` would return. */
class PartGatherer implements AnswerGatherer {
  private readonly result: Gathered = {};
  private readonly content: Gathered[] = [];
  private readonly open = new Map<unknown, Gathered>();

  add(part: unknown): boolean {
    const { type, ...fields } = toMembers(part);
    const { result } = this;
    if (typeof type !== 'string') return false;
    if (type === 'response-metadata') result['response'] = fields;
    else if (type === 'error') result['error'] = fields['error'];
    else if (type === 'stream-start' || type === 'finish') Object.assign(result, fields);
    else if (PIECES[type] !== undefined) this.addPiece(PIECES[type], type, fields);
    else if (type !== 'raw' && !PARTIAL.test(type)) this.content.push({ type, ...fields });
    return !ABOUT_THE_ANSWER.has(type);
  }

  answer(): unknown {
    return { content: this.content, ...this.result };
  }

  /** Version 1 has no ids: a piece continues the latest content of its kind. */
  private addPiece(kind: string, type: string, { id, delta, textDelta, providerMetadata }: Members): void {
    const key = `${kind} ${String(id)}`;
    const last = this.content.at(-1);
    const before = this.open.get(key) ?? (id === undefined && last?.['type'] === kind ? last : undefined);
    const piece: Gathered = before ?? { type: kind, text: '' };
    if (before === undefined) this.content.push(piece);
    if (id !== undefined) this.open.set(key, piece);
    append(piece, 'text', delta ?? textDelta);
    if (providerMetadata !== undefined) piece['providerMetadata'] = providerMetadata;
    if (type.endsWith('-end')) this.open.delete(key);
  }
}
