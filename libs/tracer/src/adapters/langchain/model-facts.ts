import { type PromptMessage, contentText, type UsageRecord, toMembers } from '@dacapo/protocol';
import type { ExternalOutcome } from '../../recording/external-attributes.js';
import { findModelProvider } from '../find-model-provider.js';
import { count, knownFacts, text } from '../readers.js';
import type { OpenRun } from './langchain-runs.js';
import type { LangChainMessage, LangChainResult } from './langchain-types.js';

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant' };

export function roleAndText(message: LangChainMessage): PromptMessage {
  const type = message.getType?.() ?? message._getType?.() ?? message.type ?? 'user';
  return { role: ROLES[type] ?? type, text: contentText(message.content) };
}

/** Facts of a model run at its end, including those from its start. */
export function readModelResult(result: LangChainResult, run: OpenRun): ExternalOutcome {
  const [generation] = result.generations?.[0] ?? [];
  const message = generation?.message;
  const response = toMembers(message?.response_metadata);
  return {
    output: message === undefined ? generation?.text : message,
    usage: readUsage(result, message, run),
    contexts: knownFacts({
      finishReason:
        response['finish_reason'] ?? response['stop_reason'] ?? generation?.generationInfo?.['finish_reason'],
      responseModel: response['model_name'] ?? response['model'],
    }),
    messages: pickSettings(run),
  };
}

const SETTINGS = ['temperature', 'top_p', 'max_tokens', 'stop', 'tools', 'tool_choice', 'response_format'];

/** Parameters of the model request, without the prompt. */
function pickSettings({ metadata, extra }: OpenRun): Record<string, unknown> {
  const parameters = toMembers(extra?.['invocation_params']);
  return {
    ...Object.fromEntries(SETTINGS.map((name) => [name, parameters[name]])),
    temperature: metadata?.['ls_temperature'] ?? parameters['temperature'],
  };
}

function readUsage(
  { llmOutput }: LangChainResult,
  message: LangChainMessage | undefined,
  { metadata, extra, settings, firstTokenAfterMs }: OpenRun,
): UsageRecord | undefined {
  const own = readMessageUsage(message);
  const older = toMembers(llmOutput?.['tokenUsage']);
  const response = toMembers(message?.response_metadata);
  const parameters = toMembers(extra?.['invocation_params']);
  const usage: UsageRecord = {
    ...text('model', metadata?.['ls_model_name'] ?? parameters['model'] ?? parameters['model_name']),
    ...text('provider', findModelProvider(addressIn(settings), metadata?.['ls_provider'])),
    ...text('response_model', response['model_name'] ?? response['model']),
    ...count('input_tokens', older['promptTokens']),
    ...count('output_tokens', older['completionTokens']),
    ...count('total_tokens', older['totalTokens']),
    ...own,
    ...count('time_to_first_token_ms', firstTokenAfterMs),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/**
 * Returns the address of a model's service; `undefined` if its settings have none.
 *
 * @param settings the constructor's arguments, with the names of LangChain for JavaScript or Python
 */
export function addressIn(settings: unknown): unknown {
  const { configuration, anthropicApiUrl, anthropic_api_url } = toMembers(settings);
  return toMembers(configuration)['baseURL'] ?? anthropicApiUrl ?? anthropic_api_url;
}

/** The usage in a message or a chunk of one. */
export function readMessageUsage(message: unknown): UsageRecord {
  const usage = toMembers(toMembers(message)['usage_metadata']);
  const input = toMembers(usage['input_token_details']);
  return {
    ...count('input_tokens', usage['input_tokens']),
    ...count('output_tokens', usage['output_tokens']),
    ...count('total_tokens', usage['total_tokens']),
    ...count('cached_input_tokens', input['cache_read']),
    ...count('cache_creation_input_tokens', input['cache_creation']),
    ...count('reasoning_tokens', toMembers(usage['output_token_details'])['reasoning']),
  };
}
