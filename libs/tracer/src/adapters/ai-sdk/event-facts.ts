import type { UsageRecord } from '@dacapo/protocol';
import type { ExternalAttributes, ExternalOutcome } from '../../recording/external-attributes.js';
import { count, fieldsOf, knownFacts } from '../readers.js';
import type { AiSdkEvent } from './ai-sdk-types.js';
import { failureOf } from './failure.js';
import { promptOf } from './messages.js';

/** What goes into an operation: its prompt, or the values of an embedding. */
export function operationInput({
  instructions,
  messages,
  prompt,
  value,
  values,
  query,
}: AiSdkEvent): ExternalAttributes {
  const input = messages ?? prompt ?? values ?? value ?? query;
  return {
    input:
      input === undefined
        ? undefined
        : [instructions === undefined ? input : { instructions, messages: input }],
  };
}

export function operationOutcome(event: AiSdkEvent): ExternalOutcome {
  const { text, object, embedding, embeddings, content, finishReason } = event;
  return {
    output: text !== undefined && text !== '' ? text : (object ?? embedding ?? embeddings ?? content),
    usage: usageOf(event['totalUsage'] ?? event['usage'], undefined, undefined),
    contexts: knownFacts({ finishReason }),
    ...failureOf(event),
  };
}

export function modelCallInput({
  instructions,
  messages,
  promptMessages,
  modelId,
  provider,
}: AiSdkEvent): ExternalAttributes {
  const asked = messages ?? promptMessages;
  return {
    input: asked === undefined ? undefined : [asked],
    prompt: promptOf(instructions, asked),
    usage: usageOf(undefined, modelId, provider),
  };
}

export function modelCallOutcome(event: AiSdkEvent): ExternalOutcome {
  const { content, objectText, finishReason, modelId, provider, usage } = event;
  const performance = fieldsOf(event['performance']);
  const response = fieldsOf(event['response']);
  return {
    output: content ?? objectText,
    usage: {
      ...usageOf(usage, undefined, provider),
      ...count('time_to_first_token_ms', performance['timeToFirstOutputMs'] ?? event['msToFirstChunk']),
    },
    contexts: knownFacts({ finishReason, responseModel: response['modelId'] ?? modelId }),
    ...failureOf(event),
  };
}

export function toolInput({ toolCall }: AiSdkEvent): ExternalAttributes {
  const { input } = fieldsOf(toolCall);
  return { input: input === undefined ? undefined : [input] };
}

export function toolOutcome({ toolOutput }: AiSdkEvent): ExternalOutcome {
  const { type, output, error } = fieldsOf(toolOutput);
  return type === 'tool-error' ? { error: error ?? new Error('The tool failed') } : { output };
}

function usageOf(usage: unknown, model: unknown, provider: unknown): UsageRecord {
  const counts = fieldsOf(usage);
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof provider === 'string' && { provider }),
    ...count('input_tokens', counts['inputTokens'] ?? counts['tokens']),
    ...count('output_tokens', counts['outputTokens']),
    ...count('total_tokens', counts['totalTokens']),
    ...count('cached_input_tokens', fieldsOf(counts['inputTokenDetails'])['cacheReadTokens']),
    ...count('reasoning_tokens', fieldsOf(counts['outputTokenDetails'])['reasoningTokens']),
  };
}
