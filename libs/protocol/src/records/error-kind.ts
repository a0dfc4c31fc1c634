/** Names that say nothing of the cause. */
const GENERIC = /^(?:Error|Exception)?$/;
const MOST_CHARACTERS = 80;

/**
 * What tells one kind of error from the next: its name, or of a plain `Error` its message without what differs from call to call, such
 * as numbers, ids and quoted text.
 */
export function errorKind(preview: string): string {
  const [, name = '', message = preview] = /^([\w.$]*): ?(.*)$/s.exec(preview) ?? [];
  if (!GENERIC.test(name)) return name;
  if (/^[\w.$]+$/.test(message)) return message;
  const stem = message
    .replace(/(["'`“]).*?["'`”]/g, '…')
    .replace(/\b[\da-f]{8,}(?:-[\da-f]{4,})*\b/gi, '…')
    .replace(/\d+(?:[.,:]\d+)*/g, '…')
    .split('\n', 1)[0];
  return `Error: ${(stem ?? '').trim().slice(0, MOST_CHARACTERS)}`;
}
