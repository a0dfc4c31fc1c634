import { addNamedImport, blankLiterals, blankNested, readIndentation, insertAt } from './source-code.js';

/**
 * Adds `TracerModule.forRoot()` as the first import of a root module, unless the source has `TracerModule` already.
 *
 * @param name of the module's class; by default the first module of the source
 * @returns the new source; `undefined` when no `@Module({ … })` can be parsed
 */
export function addTracerModule(source: string, name?: string): string | undefined {
  const code = blankLiterals(source);
  if (/\bTracerModule\b/.test(code)) return source;
  const own = name === undefined ? -1 : code.search(new RegExp(`\\bclass\\s+${name}\\b`));
  const decorators = [...code.matchAll(/@Module\(\s*\{/g)];
  const decorator = own === -1 ? decorators[0] : decorators.findLast(({ index }) => index < own);
  if (decorator === undefined) return undefined;
  const withEntry = addEntry(source, decorator.index + decorator[0].length);
  return withEntry && addNamedImport(withEntry, 'TracerModule', '@dacapo/nestjs');
}

function addEntry(source: string, inside: number): string | undefined {
  const properties = blankNested(source.slice(inside));
  const imports = /\bimports\b(\s*:\s*\[)?/.exec(properties);
  if (imports === null) {
    if (properties.includes('...')) return undefined;
    return insertAt(source, inside, `\n${readIndentation(source)}imports: [TracerModule.forRoot()],`);
  }
  if (imports[1] === undefined) return undefined;
  const at = inside + imports.index + imports[0].length;
  const rest = source.slice(at);
  const isEmpty = /^\s*\]/.test(rest);
  const indent = isEmpty ? '' : (/^\n\s*/.exec(rest)?.[0] ?? '');
  return insertAt(source, at, `${indent}TracerModule.forRoot()${isEmpty ? '' : indent === '' ? ', ' : ','}`);
}
