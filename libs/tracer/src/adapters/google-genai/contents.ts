import { callText, type PromptMessage, textOfContent } from '../prompt.js';
import { type Fields, fieldsOf, isFields } from '../readers.js';

/** The system instruction and the contents, which may be a text, parts, or contents with a role each. */
export function messagesOf({ contents, config }: Fields): PromptMessage[] {
  const { systemInstruction } = fieldsOf(config);
  const instruction = textOfContents(systemInstruction);
  return [
    ...(instruction === '' ? [] : [{ role: 'system', text: instruction }]),
    ...(isConversation(contents)
      ? contents.map((content) => ({ role: roleOf(content), text: textOfContents(content) }))
      : [{ role: 'user', text: textOfContents(contents) }]),
  ];
}

function isConversation(contents: unknown): contents is readonly Fields[] {
  return Array.isArray(contents) && contents.some((content) => isFields(content) && 'parts' in content);
}

function roleOf({ role }: Fields): string {
  return typeof role === 'string' ? role : 'user';
}

/** Of a text, a part, a content, or several of them. */
export function textOfContents(contents: unknown): string {
  if (Array.isArray(contents)) return contents.map(textOfContents).join('');
  const { parts, functionCall, functionResponse } = fieldsOf(contents);
  if (parts !== undefined) return textOfContents(parts);
  if (functionCall !== undefined) {
    const { name, args } = fieldsOf(functionCall);
    return callText(name, args);
  }
  if (functionResponse !== undefined) {
    const { name, response } = fieldsOf(functionResponse);
    return `[result of ${String(name)}] ${JSON.stringify(response ?? {})}`;
  }
  return textOfContent(contents);
}
