import { toList, toMembers, type UsageRecord } from '@dacapo/protocol';
import type { ExternalOutcome } from '../../recording/external-attributes.js';
import { findProvider } from '../find-provider.js';
import { responseVerdict } from '../openai/responses.js';
import { readUsage } from '../openai/usage.js';
import { knownFacts } from '../readers.js';
import type { AgentsSpanData } from './agents-types.js';
import { conversationText } from './conversation-text.js';

/** A call of the responses endpoint: the answer holds the instructions, model and usage. */
export function responseFacts(data: AgentsSpanData): ExternalOutcome {
  const response = toMembers(data['_response']);
  const input = data['_input'];
  return {
    input: input === undefined ? undefined : [input],
    output: response['output'],
    prompt: conversationText(response['instructions'], input),
    // The endpoint is OpenAI's own, whichever address it is asked at.
    usage: ofProvider('openai', readUsage(response['usage'], response['model'])),
    contexts: knownFacts({ response_id: data['response_id'], status: response['status'] }),
    messages: Object.fromEntries(SETTINGS.map((name) => [name, response[name]])),
    ...readFailure(response),
  };
}

function readFailure(response: unknown): ExternalOutcome {
  const { status, error } = responseVerdict({ object: 'response', ...toMembers(response) }) ?? {};
  if (status === 'error') return { error };
  return { cancelled: status === 'cancelled' };
}

/** Parameters of the model request without the prompt, as the answer repeats them. */
const SETTINGS = [
  'temperature',
  'top_p',
  'max_output_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
];

/** A call of the chat completions endpoint: the completion has usage and model. */
export function generationFacts({
  input,
  output,
  model,
  model_config,
  usage,
}: AgentsSpanData): ExternalOutcome {
  const completion = toMembers(toList(output)[0]);
  const { finish_reason } = toMembers(toList(completion['choices'])[0]);
  return {
    input: input === undefined ? undefined : [input],
    output,
    prompt: conversationText(undefined, toList(input)),
    usage: ofProvider(
      readProvider(model_config),
      readUsage(usage ?? completion['usage'], completion['model'] ?? model),
    ),
    contexts: knownFacts({ finish_reason }),
    messages: { model_config },
  };
}

/** The provider that a model of another package names, else that of the address. */
function readProvider(config: unknown): string | undefined {
  const { provider, model_provider, base_url } = toMembers(config);
  return [provider, model_provider].find((name) => typeof name === 'string') ?? findProvider(base_url);
}

function ofProvider(provider: string | undefined, usage: UsageRecord | undefined): UsageRecord | undefined {
  return usage === undefined || provider === undefined ? usage : { provider, ...usage };
}
