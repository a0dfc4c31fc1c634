import { type UsageRecord, type Members, toMembers } from '@dacapo/protocol';
import type { ExternalAttributes, ExternalOutcome } from '../../recording/external-attributes.js';
import { count, knownFacts, membersWithout, milliseconds, text, toArguments } from '../readers.js';
import { findModelProvider } from '../find-model-provider.js';
import { findFailure, readReportedCost, summarizeVectors } from './outcome-facts.js';
import { buildPrompt } from './messages.js';

/** What goes into an operation: its prompt, the values of an embedding, the text of speech, the sound of a transcription. */
export function operationInput(event: Members): ExternalAttributes {
  const { instructions, messages, prompt, value, query, documents, audio, runtimeContext } = event;
  const context = knownFacts(toMembers(runtimeContext));
  if (isModelCall(event)) {
    const { text, voice, outputFormat, speed, language } = event;
    const how = knownFacts({ instructions, voice, outputFormat, speed, language }) ?? [];
    return {
      input: text === undefined ? toArguments(audio) : [text, ...how],
      contexts: context,
      usage: readUsage(event),
    };
  }
  const input = messages ?? prompt ?? value ?? query;
  if (documents !== undefined) return { input: [query, documents], contexts: context };
  return {
    input: toArguments(
      instructions === undefined || input === undefined ? input : { instructions, messages: input },
    ),
    contexts: context,
  };
}

/** Usage is that of the requests inside, unless the operation is the request. */
export function operationOutcome(event: Members, streamError?: unknown): ExternalOutcome {
  const { object, embedding, ranking, content, finishReason } = event;
  if (isModelCall(event)) {
    const { audio, language, durationInSeconds } = event;
    const isSpeech = event['operationId'] === 'ai.generateSpeech';
    return {
      output: isSpeech ? audio : event['text'],
      usage: readUsage(event),
      contexts: isSpeech ? undefined : knownFacts({ language, durationInSeconds }),
      ...findFailure(event),
    };
  }
  return {
    output: event['text'] || (object ?? summarizeVectors(embedding) ?? ranking ?? content),
    contexts: knownFacts({ finishReason }),
    ...findFailure(event, streamError),
  };
}

/** Speech and transcription are reported only as operations: each is one request to a model. */
export function isModelCall({ operationId }: Members): boolean {
  return typeof operationId === 'string' && /^ai\.(generateSpeech|transcribe)$/.test(operationId);
}

export function modelCallInput(event: Members): ExternalAttributes {
  const { instructions, messages, promptMessages, values, query, documents, tools, toolChoice } = event;
  const conversation = messages ?? promptMessages;
  return {
    input: documents === undefined ? toArguments(conversation ?? values) : [query, documents],
    prompt: buildPrompt(instructions, conversation),
    messages: { ...pickSettings(event), tools, toolChoice },
    // The provider depends on the address, which the end reports.
    usage: readUsage(membersWithout(event, 'provider')),
  };
}

export function modelCallOutcome(event: Members, streamError?: unknown): ExternalOutcome {
  const { content, objectText, embeddings, ranking, finishReason, modelId } = event;
  const performance = toMembers(event['performance']);
  const response = toMembers(event['response']);
  return {
    output: content ?? objectText ?? summarizeVectors(embeddings) ?? ranking,
    usage: {
      ...readUsage({ usage: event['usage'] }),
      ...text('provider', findModelProvider(toMembers(event['request'])['url'], event['provider'])),
      ...readReportedCost(event['providerMetadata']),
      ...text('response_model', response['modelId'] ?? modelId),
      ...milliseconds(
        'time_to_first_token_ms',
        performance['timeToFirstOutputMs'] ?? event['msToFirstChunk'],
      ),
    },
    contexts: knownFacts({ finishReason, responseModel: response['modelId'] ?? modelId }),
    ...findFailure(event, streamError),
  };
}

export function toolInput({ toolCall }: Members): ExternalAttributes {
  return { input: toArguments(toMembers(toolCall)['input']) };
}

export function toolOutcome({ toolOutput }: Members): ExternalOutcome {
  const { type, output, error } = toMembers(toolOutput);
  return type === 'tool-error' ? { error: error ?? new Error('The tool failed') } : { output };
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

function pickSettings(event: Members): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.map((name) => [name, event[name]]));
}

function readUsage({ modelId, provider, usage }: Members): UsageRecord {
  const counts = toMembers(usage);
  const input = toMembers(counts['inputTokenDetails']);
  return {
    ...text('model', modelId),
    ...text('provider', provider),
    ...count('input_tokens', counts['inputTokens'] ?? counts['tokens']),
    ...count('output_tokens', counts['outputTokens']),
    ...count('total_tokens', counts['totalTokens']),
    ...count('cached_input_tokens', input['cacheReadTokens']),
    ...count('cache_creation_input_tokens', input['cacheWriteTokens']),
    ...count('reasoning_tokens', toMembers(counts['outputTokenDetails'])['reasoningTokens']),
  };
}
