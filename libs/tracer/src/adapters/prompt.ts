import { type Fields, fieldsOf, isFields } from './readers.js';

/** The text of a message's content in any provider's shape: a string, or a list of parts. Other media are named. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : textOfPart(content);
  return content.map(textOfPart).join('');
}

function textOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isFields(part)) return '';
  return typeof part['text'] === 'string' ? part['text'] : `[${mediaOf(part)}]`;
}

/** Names a part that is no text: `image`, `audio`, `input_file`; its bytes stay out of the prompt. */
function mediaOf(part: Fields): string {
  if (typeof part['type'] === 'string') return part['type'].replace(/^input_/, '').replace(/_url$/, '');
  const inline = fieldsOf(part['inline_data'] ?? part['inlineData']);
  const type = inline['mime_type'] ?? inline['mimeType'];
  if (typeof type === 'string') return type;
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

/** A call of a tool, as it stands in a prompt. */
export function callText(name: unknown, args: unknown): string {
  return `[calls ${String(name)} ${typeof args === 'string' ? args : JSON.stringify(args ?? {})}]`;
}

/** What stands before the result of a tool. */
export function resultText(callId: unknown): string {
  return typeof callId === 'string' ? `[result of ${callId}] ` : '';
}
