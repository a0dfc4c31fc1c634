import { callText, contentText, type PromptMessage, resultText } from './message-text.js';
import { type Members, toList, toMembers } from './members.js';

/** The system instructions and the messages; calls of tools and their results are part of it. */
export function anthropicMessages({ system, messages }: Members): PromptMessage[] {
  const instructions = contentText(system);
  return [
    ...(instructions === '' ? [] : [{ role: 'system', text: instructions }]),
    ...toList(messages).map((message) => {
      const { role, content } = toMembers(message);
      return { role: String(role), text: blocksText(content) };
    }),
  ];
}

function blocksText(content: unknown): string {
  return Array.isArray(content) ? content.map(blockText).join('\n') : contentText(content);
}

function blockText(block: unknown): string {
  const { type, name, input, tool_use_id, content, thinking } = toMembers(block);
  if (type === 'thinking' && typeof thinking === 'string') return `[thinks] ${thinking}`;
  if (type === 'tool_use' || type === 'server_tool_use') return callText(name, input);
  if (typeof type === 'string' && type.endsWith('tool_result'))
    return `${resultText(tool_use_id)}${contentText(content)}`;
  return contentText(block);
}
