import { addNamedImport, blankLiterals, blankNested, findLastImport, insertAt } from './source-code.js';

const CREATED =
  /^([ \t]*)(?:const|let|var)\s+(\w+)\b[^=;]*=\s*await\s+NestFactory\s*\.\s*create\w*\s*(?:<[^()]*>\s*)?\(/m;

/** Finds the root module of `NestFactory.create(AppModule)` and the file it is imported from. */
export function findRootModule(source: string): { name: string; from: string | undefined } | undefined {
  const [, name] =
    /NestFactory\s*\.\s*create\w*\s*(?:<[^()]*>\s*)?\(\s*(\w+)/.exec(blankLiterals(source)) ?? [];
  if (name === undefined) return undefined;
  const imported = new RegExp(`^import\\s*\\{[^}]*\\b${name}\\b[^}]*\\}\\s*from\\s*['"](\\.[^'"]*)['"]`, 'm');
  return { name, from: imported.exec(source)?.[1] };
}

/**
 * Calls `enableShutdownHooks()` after the application is created, unless the source does.
 *
 * @returns the new source; `undefined` when no `const app = await NestFactory.create(…)` is found
 */
export function addShutdownHooks(source: string): string | undefined {
  const code = blankLiterals(source);
  if (/\benableShutdownHooks\b/.test(code)) return source;
  const created = CREATED.exec(code);
  if (created === null) return undefined;
  const [found, indent = '', application = ''] = created;
  const open = created.index + found.length;
  const close = open + blankNested(source.slice(open)).length + 1;
  const [rest = ''] = /^.*/.exec(source.slice(close)) ?? [];
  const semicolon = code.slice(close).trimStart().startsWith(';') ? ';' : '';
  // The statement continues, as in `(await NestFactory.create(…)).useLogger(…)`, perhaps on the next line.
  if (!/^\s*;?\s*(\/\/.*)?$/.test(rest)) return undefined;
  if (!/^\s*(?!(?:as|in|instanceof|satisfies)\b)(?:[;}@\w$]|$)/.test(code.slice(close))) return undefined;
  return insertAt(source, close + rest.length, `\n${indent}${application}.enableShutdownHooks()${semicolon}`);
}

/** Loads `.env` below the imports, if the file exists. Options of `TracerModule.forRoot()` are read later. */
export function addEnvLoading(source: string): string {
  const code = blankLiterals(source);
  if (/\bloadEnvFile\b/.test(code) || /['"]dotenv\b/.test(source)) return source;
  const imported = addNamedImport(source, 'existsSync', 'node:fs');
  const last = findLastImport(imported);
  if (last === undefined) return source;
  const line = `if (existsSync('.env')) process.loadEnvFile('.env')${last.semicolon}`;
  return insertAt(imported, last.end, `\n\n${line}`);
}
