import { anthropicMessages, formatPrompt, type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { AnswerGatherer, ModelReader } from '../clients/model-method.js';

const LIMITS_REACHED = /^error_max_/;

/** A call of `query`: its messages are the chunks, and its last result is the answer. */
export const SESSION: ModelReader = {
  prompt: ({ prompt }) =>
    typeof prompt === 'string' ? formatPrompt([{ role: 'user', text: prompt }]) : undefined,
  answer: (answer) => {
    const { subtype, stop_reason, num_turns, session_id, total_cost_usd, permission_denials } =
      toMembers(answer);
    const isDenied = Array.isArray(permission_denials) && permission_denials.length > 0;
    return {
      facts: {
        finishReason: stop_reason ?? subtype,
        turns: num_turns,
        claudeSession: session_id,
        totalCostUsd: total_cost_usd,
      },
      ...(isDenied && { content: { permissionDenials: permission_denials } }),
    };
  },
  verdict: (answer) => {
    const { type, subtype, is_error, errors, result } = toMembers(answer);
    if (type !== 'result') return { status: 'cancelled' };
    if (typeof subtype === 'string' && LIMITS_REACHED.test(subtype)) return { level: 'warn' };
    if (is_error !== true) return undefined;
    const message = Array.isArray(errors) ? errors.join('\n') : result;
    return { status: 'error', error: new Error(String(message ?? subtype)) };
  },
  gather: () => new SessionGatherer(),
};

/** The messages of a prompt that is a stream, as one text. */
export function formatStreamed(messages: readonly unknown[]): string | undefined {
  return formatPrompt(
    anthropicMessages({ messages: messages.map((message) => toMembers(message)['message']) }),
  );
}

/** The answer of a session is its last result; until there is one, the last message of the model. */
class SessionGatherer implements AnswerGatherer {
  private last: Members | undefined;

  get hasEnded(): boolean {
    return this.last?.['type'] === 'result';
  }

  /** Messages come whole, so the time to the first one is not that of a first token. */
  add(message: unknown): boolean {
    const { type } = toMembers(message);
    if (hasMembers(message) && (type === 'result' || type === 'assistant')) this.last = message;
    return false;
  }

  answer(): unknown {
    return this.last;
  }
}
