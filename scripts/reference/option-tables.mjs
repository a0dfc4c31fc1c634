import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { compiledDir, libraries, ROOT } from '../workspace.mjs';

const MARKED = /(<!-- options: (\w+)\/(\S+) (\w+) (\w+) -->\n)[^]*?(<!-- end of options -->)/g;

/**
 * Regenerates the option tables of a document: the text between
 * `<!-- options: <library>/<module> <TABLE> <Type> -->` and `<!-- end of options -->`. Names, defaults and bounds come from
 * the table that validates them, descriptions from the docstrings or the table.
 */
export async function withOptionTables(markdown) {
  const tables = new Map();
  for (const [whole, , library, module, table, type] of markdown.matchAll(MARKED))
    tables.set(whole, await renderTable(library, module, table, type));
  return markdown.replace(MARKED, (whole, head, _library, _module, _table, _type, end) => {
    return `${head}\n${tables.get(whole)}\n\n${end}`;
  });
}

async function renderTable(libraryName, module, tableName, typeName) {
  const library = libraries().find(({ name }) => name === libraryName);
  const compiled = join(compiledDir(library), `${module}.js`);
  if (!existsSync(compiled)) throw new Error(`${compiled} does not exist. Run npm run build`);
  const { [tableName]: table } = await import(pathToFileURL(compiled).href);
  const sentences = readSentences(join(compiledDir(library), `${module}.d.ts`), typeName);
  const rows = Object.entries(table).map(([name, option]) => {
    const sentence = sentences.get(name) || option.description;
    if (!sentence) throw new Error(`${module}: the option ${name} has no docstring and no description`);
    return `| \`${name}\` | ${inUnits(option.takes)} | ${describeDefault(option)} | ${sentence} |`;
  });
  return ['| Option | Takes | Default | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The first paragraph of each property's docstring, without the default, which has its own column. */
function readSentences(path, typeName) {
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
  if (symbol === undefined) throw new Error(`${path} does not export the type ${typeName}`);
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

function describeDefault({ default: value, defaultText, takes }) {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return 'none';
  return typeof value === 'number'
    ? inUnits(`${value}${takes.includes(' of bytes') ? ' bytes' : ''}`)
    : `\`${JSON.stringify(value).replaceAll('"', "'")}\``;
}

/** Converts numbers of bytes to KiB and MiB. */
function inUnits(text) {
  const isBytes = /\bbytes\b/.test(text);
  const sized = text.replaceAll(/\b\d{4,}\b/g, (digits) => (isBytes ? formatSize(Number(digits)) : digits));
  const plain = isBytes
    ? sized.replace('a whole number of bytes', 'bytes').replace(/(iB) bytes$/, '$1')
    : sized;
  return plain.replaceAll('"', "'").replaceAll('|', '\\|');
}

function formatSize(bytes) {
  const [unit, size] = bytes % 1024 ** 2 === 0 ? ['MiB', 1024 ** 2] : ['KiB', 1024];
  return bytes % size === 0 ? `${bytes / size} ${unit}` : String(bytes);
}
