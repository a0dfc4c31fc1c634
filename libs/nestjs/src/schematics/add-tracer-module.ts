/**
 * Adds `TracerModule.forRoot()` as the first import of a root module, unless the source has `TracerModule` already.
 *
 * @returns the new source; `undefined` when no `@Module({ … })` can be parsed
 */
export function addTracerModule(source: string): string | undefined {
  if (source.includes('TracerModule')) return source;
  const decorator = /@Module\(\s*\{/.exec(source);
  if (decorator === null) return undefined;
  const quote = /from\s+(['"])/.exec(source)?.[1] ?? "'";
  const inside = decorator.index + decorator[0].length;
  const withEntry = addEntry(source, inside);
  return withEntry && addImport(withEntry, `import { TracerModule } from ${quote}@dacapo/nestjs${quote}`);
}

function addEntry(source: string, inside: number): string | undefined {
  const properties = blankNested(source.slice(inside));
  const imports = /\bimports\b(\s*:\s*\[)?/.exec(properties);
  if (imports === null) {
    if (properties.includes('...')) return undefined;
    return `${source.slice(0, inside)}\n  imports: [TracerModule.forRoot()],${source.slice(inside)}`;
  }
  if (imports[1] === undefined) return undefined;
  const at = inside + imports.index + imports[0].length;
  const isEmpty = /^\s*\]/.test(source.slice(at));
  const indent = /^\r?\n\s*/.exec(source.slice(at))?.[0] ?? '';
  return `${source.slice(0, at)}${indent}TracerModule.forRoot()${isEmpty ? '' : indent === '' ? ', ' : ','}${source.slice(at)}`;
}

const TOKENS = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[^]*?\*\/|[^]/g;

/** Returns an object's text up to its end, with nested, quoted and commented parts replaced by blanks. */
function blankNested(text: string): string {
  let depth = 0;
  let own = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^[}\])]$/.test(token) && --depth < 0) break;
    own += depth === 0 && token.length === 1 ? token : ' '.repeat(token.length);
    if (/^[{[(]$/.test(token)) depth++;
  }
  return own;
}

/** Adds the statement below the last import, because a compiled `require` runs where it is written. Semicolon as in that import. */
function addImport(source: string, statement: string): string {
  const last = [...source.matchAll(/^import\b[^'"]*(['"])[^'"\n]*\1.*$/gm)].at(-1);
  if (last === undefined) return `${statement};\n${source}`;
  const end = last.index + last[0].length;
  return `${source.slice(0, end)}\n${statement}${last[0].includes(';') ? ';' : ''}${source.slice(end)}`;
}
