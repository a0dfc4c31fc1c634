import type { Message } from './read-messages.js';

const ROLE_LINE = /(?:^|\n\n)\[?(system|developer|user|assistant|model|tool|human|ai)(?:\]|:)\n/gi;

/**
 * Splits a prompt that was recorded as one text at lines with a role. `undefined` unless it starts with such a line.
 * Also splits a message that contains such a line.
 */
export function readPromptText(prompt: string): Message[] | undefined {
  const lines = Array.from(prompt.matchAll(ROLE_LINE));
  if (lines[0]?.index !== 0) return undefined;
  return lines.map((line, at) => ({
    role: (line[1] ?? '').toLowerCase(),
    parts: [{ kind: 'text', text: prompt.slice(line.index + line[0].length, lines[at + 1]?.index) }],
  }));
}
