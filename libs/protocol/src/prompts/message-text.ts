import { hasMembers, type Members, toMembers } from './members.js';

/** The text of a message's content in any provider's shape: a string, or a list of parts. Other media are named. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : partText(content);
  return content.map(partText).join('');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!hasMembers(part)) return '';
  return typeof part['text'] === 'string' ? part['text'] : `[${nameMedia(part)}]`;
}

/** Names a part that is not text: `image`, `audio`, `input_file`; the prompt omits its bytes. */
function nameMedia(part: Members): string {
  if (typeof part['type'] === 'string') return part['type'].replace(/^input_/, '').replace(/_url$/, '');
  const inline = toMembers(part['inline_data'] ?? part['inlineData']);
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

/** A tool call, as text of a prompt. */
export function callText(name: unknown, args: unknown): string {
  return `[calls ${String(name)} ${typeof args === 'string' ? args : JSON.stringify(args ?? {})}]`;
}

/** The prefix of a tool result in a prompt. */
export function resultText(callId: unknown): string {
  return typeof callId === 'string' ? `[result of ${callId}] ` : '';
}
