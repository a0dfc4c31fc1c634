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
  return withEntry && addImport(withEntry, `import { TracerModule } from ${quote}@dacapo/nestjs${quote};`);
}

function addEntry(source: string, inside: number): string | undefined {
  const imports = /(^|[\s,{])imports\s*:\s*(\[)?/.exec(source.slice(inside));
  if (imports === null) {
    return `${source.slice(0, inside)}\n  imports: [TracerModule.forRoot()],${source.slice(inside)}`;
  }
  if (imports[2] === undefined) return undefined;
  const at = inside + imports.index + imports[0].length;
  const isEmpty = /^\s*\]/.test(source.slice(at));
  const indent = /^\n\s*/.exec(source.slice(at))?.[0] ?? '';
  return `${source.slice(0, at)}${indent}TracerModule.forRoot()${isEmpty ? '' : indent === '' ? ', ' : ','}${source.slice(at)}`;
}

function addImport(source: string, line: string): string {
  const last = [...source.matchAll(/^import\s[^;]*;?[^\S\n]*$/gm)].at(-1);
  if (last === undefined) return `${line}\n${source}`;
  const end = last.index + last[0].length;
  return `${source.slice(0, end)}\n${line}${source.slice(end)}`;
}
