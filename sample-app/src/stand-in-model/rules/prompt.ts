import type { CompletionRequest } from '../http/completion-request.js';

/** A request, sorted by what the rules ask of it. */
export interface Prompt {
  readonly instructions: string;
  /** What the last user message says. */
  readonly question: string;
  /** Results of tools, since the last user message. */
  readonly findings: readonly string[];
}

export function readPrompt({ messages }: CompletionRequest): Prompt {
  const textOf = (...roles: string[]): string[] =>
    messages.filter(({ role }) => roles.includes(role)).map(({ content }) => content);
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  return {
    instructions: textOf('system', 'developer').join('\n'),
    question: messages[lastQuestion]?.content ?? '',
    findings: messages
      .slice(lastQuestion + 1)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content),
  };
}
