import type { CompletionRequest } from '../http/completion-request.js';

/** The parts of a request that the rules use. */
export interface Prompt {
  readonly instructions: string;
  /** The last user message. */
  readonly question: string;
  /** Tool results after the last user message. */
  readonly findings: readonly string[];
}

export function readPrompt({ messages }: CompletionRequest): Prompt {
  const textsBy = (...roles: string[]): string[] =>
    messages.filter(({ role }) => roles.includes(role)).map(({ content }) => content);
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  return {
    instructions: textsBy('system', 'developer').join('\n'),
    question: messages[lastQuestion]?.content ?? '',
    findings: messages
      .slice(lastQuestion + 1)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content),
  };
}
