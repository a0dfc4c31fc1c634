const TOKENS = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[^]*?\*\/|[^]/g;

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Replaces texts and comments by blanks of the same length. */
export function blankLiterals(source: string): string {
  return source.replace(TOKENS, (token) => (token.length === 1 ? token : blank(token)));
}

/** Returns the text of an object or class up to its end, with what is nested, quoted or commented replaced by blanks. */
export function blankNested(text: string): string {
  let depth = 0;
  let own = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^[}\])]$/.test(token) && --depth < 0) break;
    own += depth === 0 && token.length === 1 ? token : blank(token);
    if (/^[{[(]$/.test(token)) depth++;
  }
  return own;
}

/** One step of indentation of a file. Default: two blanks. */
export function indentationOf(source: string): string {
  return /^(\t| {2,8})\S/m.exec(source)?.[1] ?? '  ';
}

export function insertAt(source: string, at: number, text: string): string {
  return source.slice(0, at) + text + source.slice(at);
}

/** Adds a named import, to the package's statement if there is one. */
export function addNamedImport(source: string, name: string, from: string): string {
  const named = new RegExp(`^import\\s*\\{([^}]*)\\}\\s*from\\s*(['"])${from}\\2`, 'm').exec(source);
  if (named?.[1] === undefined) {
    const quote = /from\s+(['"])/.exec(source)?.[1] ?? "'";
    return addImport(source, `import { ${name} } from ${quote}${from}${quote}`);
  }
  if (named[1].split(',').some((one) => one.trim() === name)) return source;
  const end = named.index + named[0].indexOf('{') + 1 + named[1].trimEnd().length;
  return insertAt(source, end, `${named[1].trimEnd().endsWith(',') ? '' : ','} ${name}`);
}

/** Adds the statement below the last import, because a compiled `require` runs where it is written. Semicolon as in that import. */
function addImport(source: string, statement: string): string {
  const last = [...source.matchAll(/^import\b[^'"]*(['"])[^'"\n]*\1.*$/gm)].at(-1);
  if (last === undefined) return `${statement};\n${source}`;
  const end = last.index + last[0].length;
  return insertAt(source, end, `\n${statement}${last[0].includes(';') ? ';' : ''}`);
}
