import { callText, type PromptMessage, resultText, textOfContent } from '../prompt.js';
import { type Fields, fieldsOf } from '../readers.js';

/** The messages of either endpoint: those of a chat, or the items of a response. Calls of tools are part of it. */
export function messagesOf(items: unknown): PromptMessage[] {
  if (typeof items === 'string') return [{ role: 'user', text: items }];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    const message = messageOf(fieldsOf(item));
    return message.text === '' ? [] : [message];
  });
}

function messageOf(item: Fields): PromptMessage {
  const { role, type, content, tool_calls, function_call, tool_call_id } = item;
  if (type === 'function_call' || type === 'custom_tool_call')
    return { role: 'assistant', text: callText(item['name'], item['arguments'] ?? item['input']) };
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return { role: 'tool', text: `${resultText(item['call_id'])}${textOfContent(item['output'])}` };
  if (typeof role !== 'string')
    return {
      role: typeof type === 'string' ? type : 'item',
      text: textOfContent(item['summary'] ?? content),
    };
  const calls = [...(Array.isArray(tool_calls) ? (tool_calls as unknown[]) : []), function_call].flatMap(
    (call) => {
      const { function: named, custom, name } = fieldsOf(call);
      const called = fieldsOf(named ?? custom ?? (name === undefined ? undefined : call));
      return called['name'] === undefined
        ? []
        : [callText(called['name'], called['arguments'] ?? called['input'])];
    },
  );
  const text = `${role === 'tool' ? resultText(tool_call_id) : ''}${textOfContent(content ?? item['refusal'])}`;
  return { role, text: [...(text === '' ? [] : [text]), ...calls].join('\n') };
}
