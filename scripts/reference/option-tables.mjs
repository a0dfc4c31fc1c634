import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { compiledDir, libraries, ROOT } from '../workspace.mjs';

const MARKED = /(<!-- options: (\w+)\/(\S+) (\w+) (\w+) -->\n)[^]*?(<!-- end of options -->)/g;

/**
 * The document with each of its option tables written anew: the text between
 * `<!-- options: <library>/<module> <TABLE> <Type> -->` and `<!-- end of options -->`. Names, defaults and bounds come from
 * the table that validates them, the sentences from the comments that an editor shows.
 */
export async function withOptionTables(markdown) {
  const tables = new Map();
  for (const [whole, , library, module, table, type] of markdown.matchAll(MARKED))
    tables.set(whole, await tableOf(library, module, table, type));
  return markdown.replace(MARKED, (whole, head, _library, _module, _table, _type, end) => {
    return `${head}\n${tables.get(whole)}\n\n${end}`;
  });
}

async function tableOf(libraryName, module, tableName, typeName) {
  const library = libraries().find(({ name }) => name === libraryName);
  const compiled = join(compiledDir(library), `${module}.js`);
  if (!existsSync(compiled)) throw new Error(`${compiled} is not there: run npm run build`);
  const { [tableName]: table } = await import(pathToFileURL(compiled).href);
  const sentences = sentencesOf(join(compiledDir(library), `${module}.d.ts`), typeName);
  const rows = Object.entries(table).map(([name, option]) => {
    const sentence = sentences.get(name);
    if (!sentence) throw new Error(`${module}: the option ${name} has no comment`);
    return `| \`${name}\` | ${inUnits(option.takes)} | ${defaultOf(option)} | ${sentence} |`;
  });
  return ['| Option | Takes | Default | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Of each property, the first paragraph of its comment, without the default, which has a column. */
function sentencesOf(path, typeName) {
  const program = ts.createProgram([path], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    paths: { '@dacapo/*': [join(ROOT, 'node_modules/@dacapo/*')] },
  });
  const checker = program.getTypeChecker();
  const modules = program.getSourceFiles().map((source) => checker.getSymbolAtLocation(source));
  const symbol = modules
    .flatMap((module) => (module ? checker.getExportsOfModule(module) : []))
    .find(({ name, flags }) => name === typeName && !(flags & ts.SymbolFlags.Alias));
  if (symbol === undefined) throw new Error(`${path} leads to no type ${typeName}`);
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return new Map(
    type.getProperties().map((property) => {
      const comment = ts.displayPartsToString(property.getDocumentationComment(checker));
      const [first = ''] = comment.split('\n\n');
      const line = first.replaceAll(/\s*\n\s*/g, ' ').replace(/ Default: [^.]*\./, '');
      return [property.name, line.replaceAll('|', '\\|')];
    }),
  );
}

function defaultOf({ default: value, defaultText, takes }) {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return 'none';
  return typeof value === 'number'
    ? inUnits(`${value}${takes.includes(' of bytes') ? ' bytes' : ''}`)
    : `\`${JSON.stringify(value).replaceAll('"', "'")}\``;
}

/** Bytes as KiB and MiB, where the text is about bytes. */
function inUnits(text) {
  const isBytes = /\bbytes\b/.test(text);
  const sized = text.replaceAll(/\b\d{4,}\b/g, (digits) => (isBytes ? sizeOf(Number(digits)) : digits));
  const plain = isBytes
    ? sized.replace('a whole number of bytes', 'bytes').replace(/(iB) bytes$/, '$1')
    : sized;
  return plain.replaceAll('"', "'").replaceAll('|', '\\|');
}

function sizeOf(bytes) {
  const [unit, size] = bytes % 1024 ** 2 === 0 ? ['MiB', 1024 ** 2] : ['KiB', 1024];
  return bytes % size === 0 ? `${bytes / size} ${unit}` : String(bytes);
}
