/**
 * Parses the parameter names of a function in a BAML source, in order. The runtime does not report them, and ignores unknown parameters.
 *
 * @returns `undefined` if the source cannot be parsed
 */
export function parseParameters(source: string, entry: string): readonly string[] | undefined {
  const text = source.replace(/\/\/.*/g, '');
  const start = new RegExp(`^[ \\t]*function\\s+${entry}\\s*\\(`, 'm').exec(text);
  if (start === null) return undefined;
  const list = upToEnd(text.slice(start.index + start[0].length));
  if (list === undefined || list.trim() === '') return list === undefined ? undefined : [];
  const parts = list.replace(/,\s*$/, '').split(',');
  const names = parts.map((part) => /^\s*(\w+)\s*:/.exec(part)?.[1]);
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Returns a list of parameters up to its end, without the nested parts of types. */
function upToEnd(text: string): string | undefined {
  let depth = 0;
  let own = '';
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|[^]/g)) {
    if (token === ')' && depth === 0) return own;
    if (/^[)\]>]$/.test(token)) depth--;
    if (/^[([<]$/.test(token)) depth++;
    else if (depth === 0 && token.length === 1) own += token;
  }
  return undefined;
}
