import type { Message } from './read-messages.js';

const ROLE_LINE = /(?:^|\n\n)\[?(system|developer|user|assistant|model|tool|human|ai)(?:\]|:)\n/gi;

/**
 * The messages of a prompt that was recorded as one text, each under a line with its role; `undefined` when it does not
 * begin with such a line. Roles are what the text says: a message may itself hold such a line.
 */
export function readPromptText(prompt: string): Message[] | undefined {
  const lines = Array.from(prompt.matchAll(ROLE_LINE));
  if (lines[0]?.index !== 0) return undefined;
  return lines.map((line, at) => ({
    role: (line[1] ?? '').toLowerCase(),
    parts: [{ kind: 'text', text: prompt.slice(line.index + line[0].length, lines[at + 1]?.index) }],
  }));
}
