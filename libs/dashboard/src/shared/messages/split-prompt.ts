import type { Message } from './read-messages.js';

const INSTRUCTIONS = ['system', 'developer'];

export function isInstruction({ role }: Message): boolean {
  return INSTRUCTIONS.includes(role);
}

export interface SplitPrompt {
  /** The instructions that a prompt begins with. */
  instructions: Message[];
  earlier: Message[];
  /** The last message of the user with all after it; without one, the last message. */
  last: Message[];
}

/** Every message is in one part, in its order. */
export function splitPrompt(messages: readonly Message[]): SplitPrompt {
  const first = messages.findIndex((message) => !isInstruction(message));
  const begin = first < 0 ? Math.max(0, messages.length - 1) : first;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const last = Math.max(begin, asked < 0 ? messages.length - 1 : asked);
  return {
    instructions: messages.slice(0, begin),
    earlier: messages.slice(begin, last),
    last: messages.slice(last),
  };
}
