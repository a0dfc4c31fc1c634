import { callText, contentText, type PromptMessage, resultText } from './message-text.js';
import { type Members, toList, toMembers } from './members.js';

/** The messages of either endpoint: those of a chat, or the items of a response. Calls of tools are part of it. */
export function openAiMessages(items: unknown): PromptMessage[] {
  if (typeof items === 'string') return [{ role: 'user', text: items }];
  return toList(items).flatMap((item) => {
    const message = toPromptMessage(toMembers(item));
    return message.text === '' ? [] : [message];
  });
}

function toPromptMessage(item: Members): PromptMessage {
  const { role, type, content, tool_calls, function_call, tool_call_id } = item;
  if (type === 'function_call' || type === 'custom_tool_call')
    return { role: 'assistant', text: callText(item['name'], item['arguments'] ?? item['input']) };
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return { role: 'tool', text: `${resultText(item['call_id'])}${contentText(item['output'])}` };
  if (typeof role !== 'string')
    return {
      role: typeof type === 'string' ? type : 'item',
      text: contentText(item['summary'] ?? content),
    };
  const calls = [...toList(tool_calls), function_call].flatMap((call) => {
    const { function: named, custom, name } = toMembers(call);
    const called = toMembers(named ?? custom ?? (name === undefined ? undefined : call));
    return called['name'] === undefined
      ? []
      : [callText(called['name'], called['arguments'] ?? called['input'])];
  });
  const text = `${role === 'tool' ? resultText(tool_call_id) : ''}${contentText(content ?? item['refusal'])}`;
  return { role, text: [...(text === '' ? [] : [text]), ...calls].join('\n') };
}
