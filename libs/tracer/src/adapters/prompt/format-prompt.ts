/** One rendered message of a prompt. */
export interface PromptMessage {
  readonly role: string;
  readonly text: string;
}

/** The messages as one text, each under its role; `undefined` when there are none. */
export function formatPrompt(messages: readonly PromptMessage[]): string | undefined {
  if (messages.length === 0) return undefined;
  return messages.map(({ role, text }) => `${role}:\n${text}`).join('\n\n');
}
