import { contentText, formatPrompt, toList, toMembers } from '@dacapo/protocol';

/** The instructions and the messages among the items of a conversation; calls of tools and their results are left out. */
export function conversationText(instructions: unknown, input: unknown): string | undefined {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : toList(input);
  return formatPrompt([
    ...(typeof instructions === 'string' ? [{ role: 'system', text: instructions }] : []),
    ...items.flatMap((item) => {
      const { role, content } = toMembers(item);
      return typeof role === 'string' ? [{ role, text: contentText(content) }] : [];
    }),
  ]);
}
