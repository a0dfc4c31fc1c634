import { callText, type PromptMessage, resultText, textOfContent } from '../prompt.js';
import { type Fields, fieldsOf } from '../readers.js';

/** The system instructions and the messages; calls of tools and their results are part of it. */
export function messagesOf({ system, messages }: Fields): PromptMessage[] {
  const instructions = textOfContent(system);
  const given = Array.isArray(messages) ? (messages as unknown[]) : [];
  return [
    ...(instructions === '' ? [] : [{ role: 'system', text: instructions }]),
    ...given.map((message) => {
      const { role, content } = fieldsOf(message);
      return { role: String(role), text: textOfBlocks(content) };
    }),
  ];
}

function textOfBlocks(content: unknown): string {
  return Array.isArray(content) ? content.map(textOfBlock).join('\n') : textOfContent(content);
}

function textOfBlock(block: unknown): string {
  const { type, name, input, tool_use_id, content, thinking } = fieldsOf(block);
  if (type === 'thinking' && typeof thinking === 'string') return `[thinks] ${thinking}`;
  if (type === 'tool_use' || type === 'server_tool_use') return callText(name, input);
  if (typeof type === 'string' && type.endsWith('tool_result'))
    return `${resultText(tool_use_id)}${textOfContent(content)}`;
  return textOfContent(block);
}
