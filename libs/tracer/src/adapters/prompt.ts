import type { Fields } from './readers.js';

/** The text of a message's content in any provider's shape: a string, or a list of parts. Other media are named. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : textOfPart(content);
  return content.map(textOfPart).join('');
}

function textOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null) return '';
  const fields = part as Fields;
  if (typeof fields['text'] === 'string') return fields['text'];
  return `[${mediaOf(fields)}]`;
}

/** Names a part that is no text: `image`, `audio`, `input_file`; its bytes stay out of the prompt. */
function mediaOf(part: Fields): string {
  if (typeof part['type'] === 'string') return part['type'].replace(/^input_/, '').replace(/_url$/, '');
  const inline = part['inline_data'] ?? part['inlineData'];
  if (typeof inline === 'object' && inline !== null) {
    const { mime_type, mimeType } = inline as Fields;
    const type = mime_type ?? mimeType;
    if (typeof type === 'string') return type;
  }
  return Object.keys(part)[0] ?? 'media';
}

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
