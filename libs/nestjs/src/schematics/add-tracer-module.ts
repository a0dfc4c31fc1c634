/**
 * The source of a root module with `TracerModule.forRoot()` as its first import; unchanged when it is there.
 *
 * @returns `undefined` when there is no `@Module({ … })` that can be understood
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
  const properties = ownTextOf(source.slice(inside));
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

/** An object's text up to its end, with blanks in the place of what is nested, quoted or commented out. */
function ownTextOf(text: string): string {
  let depth = 0;
  let own = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^[}\])]$/.test(token) && --depth < 0) break;
    own += depth === 0 && token.length === 1 ? token : ' '.repeat(token.length);
    if (/^[{[(]$/.test(token)) depth++;
  }
  return own;
}

/** Below the last import, with a semicolon if that has one: a compiled `require` runs where it is written. */
function addImport(source: string, statement: string): string {
  const last = [...source.matchAll(/^import\b[^'"]*(['"])[^'"\n]*\1.*$/gm)].at(-1);
  if (last === undefined) return `${statement};\n${source}`;
  const end = last.index + last[0].length;
  return `${source.slice(0, end)}\n${statement}${last[0].includes(';') ? ';' : ''}${source.slice(end)}`;
}
