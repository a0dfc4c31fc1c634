import { callText, contentText, type PromptMessage } from './message-text.js';
import { hasMembers, type Members, toMembers } from './members.js';

/** The system instruction and the contents, which may be a text, parts, or contents with a role each. */
export function googleMessages({ contents, config }: Members): PromptMessage[] {
  const { systemInstruction } = toMembers(config);
  const instruction = contentsText(systemInstruction);
  return [
    ...(instruction === '' ? [] : [{ role: 'system', text: instruction }]),
    ...(isConversation(contents)
      ? contents.map((content) => ({ role: readRole(content), text: contentsText(content) }))
      : [{ role: 'user', text: contentsText(contents) }]),
  ];
}

function isConversation(contents: unknown): contents is readonly Members[] {
  return Array.isArray(contents) && contents.some((content) => hasMembers(content) && 'parts' in content);
}

function readRole({ role }: Members): string {
  return typeof role === 'string' ? role : 'user';
}

/** Of a text, a part, a content, or several of them. */
export function contentsText(contents: unknown): string {
  if (Array.isArray(contents)) return contents.map(contentsText).join('');
  const { parts, functionCall, functionResponse } = toMembers(contents);
  if (parts !== undefined) return contentsText(parts);
  if (functionCall !== undefined) {
    const { name, args } = toMembers(functionCall);
    return callText(name, args);
  }
  if (functionResponse !== undefined) {
    const { name, response } = toMembers(functionResponse);
    return `[result of ${String(name)}] ${JSON.stringify(response ?? {})}`;
  }
  return contentText(contents);
}
