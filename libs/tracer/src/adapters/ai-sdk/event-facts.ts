import type { UsageRecord } from '@dacapo/protocol';
import type { ExternalAttributes, ExternalOutcome } from '../../recording/external-attributes.js';
import { count, type Fields, fieldsOf, knownFacts, milliseconds, text } from '../readers.js';
import { findProvider } from '../find-provider.js';
import { failureOf, readReportedCost, vectorsOf } from './outcome-facts.js';
import { promptOf } from './messages.js';

/** What goes into an operation: its prompt, the values of an embedding, the text of speech, the sound of a transcription. */
export function operationInput(event: Fields): ExternalAttributes {
  const { instructions, messages, prompt, value, query, documents, audio, runtimeContext } = event;
  const context = knownFacts(fieldsOf(runtimeContext));
  if (isModelCall(event)) {
    const { text, voice, outputFormat, speed, language } = event;
    const how = knownFacts({ instructions, voice, outputFormat, speed, language }) ?? [];
    return {
      input: text === undefined ? argumentsOf(audio) : [text, ...how],
      contexts: context,
      usage: usageOf(event),
    };
  }
  const input = messages ?? prompt ?? value ?? query;
  if (documents !== undefined) return { input: [query, documents], contexts: context };
  return {
    input: argumentsOf(
      instructions === undefined || input === undefined ? input : { instructions, messages: input },
    ),
    contexts: context,
  };
}

/** Usage is that of the requests inside, unless the operation is the request. */
export function operationOutcome(event: Fields, streamError?: unknown): ExternalOutcome {
  const { object, embedding, ranking, content, finishReason } = event;
  if (isModelCall(event)) {
    const { audio, language, durationInSeconds } = event;
    const isSpeech = event['operationId'] === 'ai.generateSpeech';
    return {
      output: isSpeech ? audio : event['text'],
      usage: usageOf(event),
      contexts: isSpeech ? undefined : knownFacts({ language, durationInSeconds }),
      ...failureOf(event),
    };
  }
  return {
    output: event['text'] || (object ?? vectorsOf(embedding) ?? ranking ?? content),
    contexts: knownFacts({ finishReason }),
    ...failureOf(event, streamError),
  };
}

/** Speech and transcription are told as operations alone: each is one request to a model. */
export function isModelCall({ operationId }: Fields): boolean {
  return typeof operationId === 'string' && /^ai\.(generateSpeech|transcribe)$/.test(operationId);
}

export function modelCallInput(event: Fields): ExternalAttributes {
  const { instructions, messages, promptMessages, values, query, documents, tools, toolChoice } = event;
  const asked = messages ?? promptMessages;
  return {
    input: documents === undefined ? argumentsOf(asked ?? values) : [query, documents],
    prompt: promptOf(instructions, asked),
    asked: { ...settingsOf(event), tools, toolChoice },
    usage: usageOf(event),
  };
}

export function modelCallOutcome(event: Fields, streamError?: unknown): ExternalOutcome {
  const { content, objectText, embeddings, ranking, finishReason, modelId } = event;
  const performance = fieldsOf(event['performance']);
  const response = fieldsOf(event['response']);
  return {
    output: content ?? objectText ?? vectorsOf(embeddings) ?? ranking,
    usage: {
      ...usageOf({ usage: event['usage'], provider: event['provider'] }),
      ...text('provider', findProvider(fieldsOf(event['request'])['url'])),
      ...readReportedCost(event['providerMetadata']),
      ...text('response_model', response['modelId'] ?? modelId),
      ...milliseconds(
        'time_to_first_token_ms',
        performance['timeToFirstOutputMs'] ?? event['msToFirstChunk'],
      ),
    },
    contexts: knownFacts({ finishReason, responseModel: response['modelId'] ?? modelId }),
    ...failureOf(event, streamError),
  };
}

export function toolInput({ toolCall }: Fields): ExternalAttributes {
  return { input: argumentsOf(fieldsOf(toolCall)['input']) };
}

export function toolOutcome({ toolOutput }: Fields): ExternalOutcome {
  const { type, output, error } = fieldsOf(toolOutput);
  return type === 'tool-error' ? { error: error ?? new Error('The tool failed') } : { output };
}

function argumentsOf(value: unknown): unknown[] | undefined {
  return value === undefined ? undefined : [value];
}

const SETTINGS = [
  'temperature',
  'topP',
  'topK',
  'maxOutputTokens',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
  'dimensions',
  'topN',
];

function settingsOf(event: Fields): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.map((name) => [name, event[name]]));
}

function usageOf({ modelId, provider, usage }: Fields): UsageRecord {
  const counts = fieldsOf(usage);
  const input = fieldsOf(counts['inputTokenDetails']);
  return {
    ...text('model', modelId),
    ...text('provider', provider),
    ...count('input_tokens', counts['inputTokens'] ?? counts['tokens']),
    ...count('output_tokens', counts['outputTokens']),
    ...count('total_tokens', counts['totalTokens']),
    ...count('cached_input_tokens', input['cacheReadTokens']),
    ...count('cache_creation_input_tokens', input['cacheWriteTokens']),
    ...count('reasoning_tokens', fieldsOf(counts['outputTokenDetails'])['reasoningTokens']),
  };
}
