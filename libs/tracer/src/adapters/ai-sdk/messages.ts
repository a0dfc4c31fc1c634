import { formatPrompt, type PromptMessage, contentText, toMembers, toList } from '@dacapo/protocol';

/** The prompt of a call, from its system instructions and its messages. */
export function buildPrompt(instructions: unknown, messages: unknown): string | undefined {
  const system =
    typeof instructions === 'string'
      ? [{ role: 'system', text: instructions }]
      : toPromptMessages(instructions);
  return formatPrompt([...system, ...toPromptMessages(messages)]);
}

/** Tool calls and tool results are not text of the prompt. */
function toPromptMessages(messages: unknown): PromptMessage[] {
  return toList(messages).flatMap((message) => {
    const { role, content } = toMembers(message);
    if (typeof role !== 'string' || role === 'tool') return [];
    const text = contentText(Array.isArray(content) ? content.filter(isNoToolCall) : content);
    return text === '' ? [] : [{ role, text }];
  });
}

function isNoToolCall(part: unknown): boolean {
  const { type } = toMembers(part);
  return typeof type !== 'string' || !type.startsWith('tool-');
}
