import { type UsageRecord, type Members, toMembers, hasMembers } from '@dacapo/protocol';
import { MESSAGES } from '../anthropic/message-reader.js';
import { append, type Gathered } from '../clients/gathered.js';
import { textPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { CHAT } from '../openai/chat.js';
import { count, membersWithout } from '../readers.js';
import { CONVERSE } from './bedrock-converse.js';
import { decodeBody } from './decode-body.js';

type BodyFormat = Pick<ModelReader, 'prompt' | 'answer' | 'verdict' | 'gather'>;

/** Properties with the answers of models that continue a text: Titan, Mistral, Cohere, Jurassic. */
const ANSWER_LISTS = ['results', 'outputs', 'generations', 'completions'];
/** Properties with the text of an event of their streams: Llama, Claude 2, Cohere. */
const CONTINUED = ['generation', 'completion', 'text'];

/** Titan, Llama, Claude 2, Mistral, Cohere and Jurassic, which continue a text. Each uses other names. */
const TEXT: BodyFormat = {
  prompt: ({ inputText, prompt }) => textPrompt(inputText ?? prompt),
  answer: (body) => {
    const fields = toMembers(body);
    const { inputTextTokenCount, prompt_token_count, generation_token_count, ...rest } = fields;
    const list = ANSWER_LISTS.map((name) => fields[name]).find(Array.isArray) as unknown[] | undefined;
    const first = toMembers(list?.[0]);
    const reason =
      toMembers(first['finishReason'])['reason'] ?? first['stop_reason'] ?? first['finish_reason'];
    return {
      usage: {
        ...count('input_tokens', inputTextTokenCount ?? prompt_token_count),
        ...count('output_tokens', first['tokenCount'] ?? generation_token_count),
      },
      facts: {
        finishReason: first['completionReason'] ?? reason ?? rest['stop_reason'] ?? rest['finish_reason'],
      },
    };
  },
  verdict: (body) =>
    /LENGTH|FILTERED|MAX_TOKENS/i.test(String(TEXT.answer(body).facts?.['finishReason']))
      ? { level: 'warn' }
      : undefined,
  gather: () => new TextGatherer(),
};

/** The format of a body by its members: of a request, of an answer, or of an event of a stream. */
function findFormat({ anthropic_version, type, messages, output, ...event }: Members): BodyFormat {
  const isMessage = typeof type === 'string' && type !== 'completion';
  if (anthropic_version !== undefined || isMessage) return MESSAGES;
  if ('choices' in event) return CHAT;
  const isConverse = ['messageStart', 'contentBlockDelta', 'contentBlockStart'].some((name) => name in event);
  return isConverse || messages !== undefined || hasMembers(output) ? CONVERSE : TEXT;
}

/** A body has bytes of JSON in the model's format. It is recorded as data. */
export const INVOKE: ModelReader = {
  prompt: (body) => findFormat(body).prompt(body),
  answer: (value): AnswerFacts => {
    const { body, $metadata } = toMembers(value);
    const answer = toMembers(decodeBody(body));
    const { usage, facts } = findFormat(answer).answer(answer);
    const { attempts, requestId } = toMembers($metadata);
    return {
      usage: { ...readMetrics(answer), ...usage, ...count('attempts', attempts) },
      facts: { ...facts, requestId },
    };
  },
  verdict: (value) => {
    const answer = toMembers(decodeBody(toMembers(value)['body']));
    return findFormat(answer).verdict?.(answer);
  },
  recorded: (value) => mapBytes(value, decodeBody),
  revived: (recorded) => mapBytes(recorded, encodeBody),
  gather: () => new BodyGatherer(),
};

/** The bytes of an answer, or of a chunk of one. */
function mapBytes(value: unknown, map: (bytes: unknown) => unknown): unknown {
  const { body, chunk } = toMembers(value);
  if (hasMembers(chunk)) return { ...toMembers(value), chunk: { ...chunk, bytes: map(chunk['bytes']) } };
  return body === undefined ? value : { ...toMembers(value), body: map(body) };
}

/** Bytes as the client returns them, with its method that reads them as a text. */
function encodeBody(body: unknown): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  const transformToString = (encoding: BufferEncoding = 'utf-8'): string => bytes.toString(encoding);
  return Object.assign(new Uint8Array(bytes), { transformToString });
}

const METRICS = 'amazon-bedrock-invocationMetrics';

function readMetrics({ [METRICS]: metrics }: Members): UsageRecord {
  const { inputTokenCount, outputTokenCount } = toMembers(metrics);
  return { ...count('input_tokens', inputTokenCount), ...count('output_tokens', outputTokenCount) };
}

/** Merges the events of a stream in the format of the first event. */
class BodyGatherer implements AnswerGatherer {
  private format: AnswerGatherer | undefined;
  private metrics: unknown;

  add(value: unknown): boolean {
    const event = toMembers(decodeBody(toMembers(toMembers(value)['chunk'])['bytes']));
    this.metrics = event[METRICS] ?? this.metrics;
    this.format ??= findFormat(event).gather?.();
    return this.format?.add(membersWithout(event, METRICS)) !== false;
  }

  answer(): unknown {
    const body = this.format?.answer();
    return body && { body: { ...body, ...(this.metrics !== undefined && { [METRICS]: this.metrics }) } };
  }
}

class TextGatherer implements AnswerGatherer {
  private readonly answered: Gathered = {};
  private readonly result: Gathered = {};
  private output: Gathered | undefined;

  add(event: unknown): boolean {
    const { outputText, totalOutputTextTokenCount, completionReason, outputs, ...rest } = membersWithout(
      event,
      'index',
    );
    for (const [name, value] of Object.entries(rest))
      if (CONTINUED.includes(name)) append(this.answered, name, value);
      else if (value !== null) this.answered[name] = value;
    append(this.result, 'outputText', outputText);
    if (Array.isArray(outputs)) this.addOutput(toMembers(outputs[0]));
    Object.assign(this.result, count('tokenCount', totalOutputTextTokenCount));
    if (typeof completionReason === 'string') this.result['completionReason'] = completionReason;
    return [outputText, outputs, ...CONTINUED.map((name) => rest[name])].some((part) => part !== undefined);
  }

  answer(): unknown {
    const { answered, output, result } = this;
    if (output !== undefined) return { ...answered, outputs: [output] };
    return Object.keys(result).length === 0 ? answered : { ...answered, results: [result] };
  }

  /** Mistral's events. */
  private addOutput({ text, stop_reason }: Members): void {
    this.output ??= {};
    append(this.output, 'text', text);
    if (typeof stop_reason === 'string') this.output['stop_reason'] = stop_reason;
  }
}
