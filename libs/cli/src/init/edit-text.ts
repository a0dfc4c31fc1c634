import { diffLines, splitLines } from './line-diff.js';

const BOM = '\uFEFF';

/**
 * Edits a text as if each line ended with `\n`. Lines that stay keep their own end, new ones get the most frequent end, and a byte
 * order mark stays where it is.
 */
export function editText(text: string, edit: (text: string) => string | undefined): string | undefined {
  const mark = text.startsWith(BOM) ? BOM : '';
  const before = splitLines(text.slice(mark.length));
  const edited = edit(before.join('').replaceAll('\r\n', '\n'));
  if (edited === undefined) return undefined;
  const windowsLines = before.filter((line) => line.endsWith('\r\n')).length;
  const isWindows = windowsLines * 2 > before.length;
  const after = splitLines(edited);
  const isSame = (a: string, b: string): boolean => a.replace(/\r\n$/, '\n') === b;
  let [result, at] = [mark, 0];
  for (const { beforeAt, removed, added } of diffLines(before, after, isSame)) {
    result += before.slice(at, beforeAt).join('');
    result += added.map((line) => (isWindows ? line.replace(/\n$/, '\r\n') : line)).join('');
    at = beforeAt + removed.length;
  }
  return result + before.slice(at).join('');
}
