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
export function readIndentation(source: string): string {
  return /^(\t| {2,8})\S/m.exec(source)?.[1] ?? '  ';
}

export function insertAt(source: string, at: number, text: string): string {
  return source.slice(0, at) + text + source.slice(at);
}

/** Adds a named import, to the package's statement if there is one. */
export function addNamedImport(source: string, name: string, from: string): string {
  const code = blankLiterals(source);
  const named = [
    ...source.matchAll(new RegExp(`^import\\s*\\{([^}]*)\\}\\s*from\\s*(['"])${from}\\2`, 'gm')),
  ].find(({ index }) => code.startsWith('import', index));
  if (named === undefined) {
    const quote = /from\s+(['"])/.exec(source)?.[1] ?? "'";
    return addImport(source, `import { ${name} } from ${quote}${from}${quote}`);
  }
  const names = blankLiterals(named[1] ?? '');
  if (names.split(',').some((one) => one.trim() === name)) return source;
  // In front of the others: a comment may follow the last one.
  const separator = names.trim() !== '' ? ',' : names === '' ? ' ' : '';
  return insertAt(source, named.index + named[0].indexOf('{') + 1, ` ${name}${separator}`);
}

/** Adds the statement below the last import, because a compiled `require` runs where it is written. Semicolon as in that import. */
function addImport(source: string, statement: string): string {
  const last = findLastImport(source);
  return last === undefined
    ? `${statement};\n${source}`
    : insertAt(source, last.end, `\n${statement}${last.semicolon}`);
}

const IMPORT = /^import\b(?!\s*[(.])[^'"]*(['"])[^'"\n]*\1(?:\s*with\s*\{[^}]*\})?[ \t]*(;?)/gm;
/** The rest of the line of a statement, if nothing but a comment that ends there is in it. */
const LINE_REST = /^[ \t]*(?:\/\/.*|\/\*(?:(?!\*\/).)*\*\/[ \t]*)?(?=\r?\n|$)/;

/** Finds where a statement can be put below the last import, and whether that has a semicolon. */
export function findLastImport(source: string): { end: number; semicolon: string } | undefined {
  const code = blankLiterals(source);
  const last = [...source.matchAll(IMPORT)].findLast(({ index }) => code.startsWith('import', index));
  if (last === undefined) return undefined;
  const statementEnd = last.index + last[0].length;
  const [rest = ''] = LINE_REST.exec(source.slice(statementEnd)) ?? [];
  return { end: statementEnd + rest.length, semicolon: last[2] ?? '' };
}
