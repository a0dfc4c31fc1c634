import { type PromptMessage, contentText, toMembers, toList } from '@dacapo/protocol';

/**
 * The messages of a request body, in the shapes of OpenAI (chat and responses), Anthropic, Google and Bedrock.
 *
 * The shape decides, not the provider's name: many services speak another's.
 */
export function renderedMessages(body: unknown): PromptMessage[] {
  const fields = toMembers(body);
  return [
    ...messages(
      'system',
      readParts(fields['system_instruction'] ?? fields['systemInstruction']) ?? fields['system'],
    ),
    ...messages('system', fields['instructions']),
    ...(typeof fields['input'] === 'string' ? messages('user', fields['input']) : []),
    ...['messages', 'input', 'contents'].flatMap((list) => listed(fields[list])),
  ];
}

function listed(items: unknown): PromptMessage[] {
  return toList(items).flatMap((item) => {
    const { role, content } = toMembers(item);
    return messages(typeof role === 'string' ? role : 'user', content ?? readParts(item));
  });
}

function messages(role: string, content: unknown): PromptMessage[] {
  return content === undefined || content === null ? [] : [{ role, text: contentText(content) }];
}

function readParts(value: unknown): unknown {
  return toMembers(value)['parts'];
}
