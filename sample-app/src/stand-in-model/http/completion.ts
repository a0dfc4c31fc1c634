import { randomUUID } from 'node:crypto';
import { STAND_IN_MODEL } from '../identity.js';
import type { Reply } from '../rules/reply.js';
import type { CompletionRequest } from './completion-request.js';

export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly reply: Reply;
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/** Adds the metadata of the API to a reply. Counts four characters as one token. */
export function createCompletion(request: CompletionRequest, reply: Reply): Completion {
  const prompt = tokens(request.messages.map(({ content }) => content).join('\n'));
  const completion = tokens(reply.text + reply.toolCalls.map((call) => call.name + call.arguments).join(''));
  return {
    id: `chatcmpl-stand-in-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    reply,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

export function formatToolCalls({ toolCalls }: Reply) {
  return toolCalls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
}

export function finishReason({ toolCalls }: Reply): 'tool_calls' | 'stop' {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

/** The body of a response without streaming. */
export function completionBody({ id, created, reply, usage }: Completion): Record<string, unknown> {
  const hasCalls = reply.toolCalls.length > 0;
  return {
    id,
    object: 'chat.completion',
    created,
    model: STAND_IN_MODEL,
    system_fingerprint: STAND_IN_MODEL,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: hasCalls ? null : reply.text,
          refusal: null,
          ...(hasCalls && { tool_calls: formatToolCalls(reply) }),
        },
        logprobs: null,
        finish_reason: finishReason(reply),
      },
    ],
    usage,
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
