import type { UsageRecord } from '@dacapo/protocol';
import type { ExternalOutcome } from '../../recording/external-attributes.js';
import { asFields, count, knownFacts, text } from '../readers.js';
import { type PromptMessage, textOfContent } from '../prompt.js';
import type { OpenRun } from './langchain-runs.js';
import type { LangChainMessage, LangChainResult } from './langchain-types.js';

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant' };

export function roleAndText(message: LangChainMessage): PromptMessage {
  const type = message.getType?.() ?? message._getType?.() ?? 'user';
  return { role: ROLES[type] ?? type, text: textOfContent(message.content) };
}

/** What a model run tells when it ends, with what was known at its start. */
export function readModelResult(result: LangChainResult, run: OpenRun): ExternalOutcome {
  const [generation] = result.generations?.[0] ?? [];
  const message = generation?.message;
  const response = asFields(message?.response_metadata);
  return {
    output: message === undefined ? generation?.text : message,
    usage: readUsage(result, message, run),
    contexts: knownFacts({
      finishReason:
        response?.['finish_reason'] ??
        response?.['stop_reason'] ??
        generation?.generationInfo?.['finish_reason'],
      responseModel: response?.['model_name'] ?? response?.['model'],
      temperature: run.metadata?.['ls_temperature'],
    }),
  };
}

function readUsage(
  { llmOutput }: LangChainResult,
  message: LangChainMessage | undefined,
  { metadata, extra, firstTokenAfterMs }: OpenRun,
): UsageRecord | undefined {
  const own = asFields(message?.usage_metadata);
  const older = asFields(llmOutput?.['tokenUsage']);
  const parameters = asFields(extra?.['invocation_params']);
  const usage: UsageRecord = {
    ...text('model', metadata?.['ls_model_name'] ?? parameters?.['model'] ?? parameters?.['model_name']),
    ...text('provider', metadata?.['ls_provider']),
    ...count('input_tokens', own?.['input_tokens'] ?? older?.['promptTokens']),
    ...count('output_tokens', own?.['output_tokens'] ?? older?.['completionTokens']),
    ...count('total_tokens', own?.['total_tokens'] ?? older?.['totalTokens']),
    ...count('cached_input_tokens', asFields(own?.['input_token_details'])?.['cache_read']),
    ...count('time_to_first_token_ms', firstTokenAfterMs),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}
