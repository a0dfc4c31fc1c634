import { formatPrompt, type PromptMessage, textOfContent } from '../prompt.js';
import { fieldsOf } from '../readers.js';

/** The prompt of a call, from its system instructions and its messages. */
export function promptOf(instructions: unknown, messages: unknown): string | undefined {
  const system =
    typeof instructions === 'string' ? [{ role: 'system', text: instructions }] : messagesOf(instructions);
  return formatPrompt([...system, ...messagesOf(messages)]);
}

/** Calls and results of tools are no text of the prompt. */
function messagesOf(messages: unknown): PromptMessage[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) => {
    const { role, content } = fieldsOf(message);
    if (typeof role !== 'string' || role === 'tool') return [];
    const text = textOfContent(Array.isArray(content) ? content.filter(isNoToolCall) : content);
    return text === '' ? [] : [{ role, text }];
  });
}

function isNoToolCall(part: unknown): boolean {
  const { type } = fieldsOf(part);
  return typeof type !== 'string' || !type.startsWith('tool-');
}
