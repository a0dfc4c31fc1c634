import { type Members, toList, toMembers } from './members.js';
import { callText, contentText, type PromptMessage, resultText } from './message-text.js';

/** Reads the messages of a span that arrived by OTLP. Each has a role, and a text or parts like those of the AI SDK. */
export function otlpMessages(messages: Members): PromptMessage[] {
  return toList(messages).flatMap((message) => {
    const { role, content } = toMembers(message);
    const text = Array.isArray(content) ? content.map(partText).join('\n') : contentText(content);
    return text === '' ? [] : [{ role: String(role), text }];
  });
}

function partText(part: unknown): string {
  const { type, toolName, input, toolCallId, output } = toMembers(part);
  if (type === 'tool-call') return callText(toolName, input);
  if (type !== 'tool-result') return contentText([part]);
  return `${resultText(toolCallId)}${typeof output === 'string' ? output : JSON.stringify(output ?? null)}`;
}
