import { hasMembers, type Members, toList, toMembers } from './members.js';
import { callText, contentText, type PromptMessage } from './message-text.js';

/** The system prompt and the messages of a request to `Converse`. */
export function converseMessages({ system, messages }: Members): PromptMessage[] {
  const instructions = contentText(system);
  return [
    ...(instructions === '' ? [] : [{ role: 'system', text: instructions }]),
    ...toList(messages).map((message) => {
      const { role, content } = toMembers(message);
      const blocks: unknown[] = Array.isArray(content) ? content : [content];
      return { role: typeof role === 'string' ? role : 'user', text: blocks.map(blockText).join('\n') };
    }),
  ];
}

function blockText(block: unknown): string {
  const { toolUse, toolResult } = toMembers(block);
  if (hasMembers(toolUse)) return callText(toolUse['name'], toolUse['input']);
  if (hasMembers(toolResult))
    return `[result of ${String(toolResult['toolUseId'])}] ${contentText(toolResult['content'])}`;
  return contentText(block);
}
