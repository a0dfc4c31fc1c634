import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { entriesOf } from '../workspace.mjs';
import { writeFolder } from './write-folder.mjs';

/**
 * Gives a package that is built once, as CommonJS, its ES module entries: every name passed on by name, so that
 * `import` and `require` meet the same classes and the same state.
 */
export function writeEsmWrappers(library) {
  const files = {};
  for (const entry of entriesOf(library)) {
    const names = exportedNames(join(library.dir, 'src', `${entry}.ts`));
    const line = (kept) =>
      `export { ${kept.map(({ name }) => name).join(', ')} } from '../cjs/${entry}.js';\n`;
    files[`${entry}.js`] = line(names.filter(({ isType }) => !isType));
    files[`${entry}.d.ts`] = line(names);
  }
  writeFolder(join(library.dir, 'dist/esm'), files, ['package.json']);
}

function exportedNames(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return passedOn(statement);
    const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExportKeyword);
    if (!isExported) return [];
    if (statement.name === undefined) throw unnamed();
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    return [{ name: statement.name.text, isType }];
  });

  function passedOn(declaration) {
    if (!declaration.exportClause || !ts.isNamedExports(declaration.exportClause)) throw unnamed();
    return declaration.exportClause.elements.map((element) => ({
      name: element.name.text,
      isType: declaration.isTypeOnly || element.isTypeOnly,
    }));
  }

  function unnamed() {
    return new Error(
      `${path}: export by name, as \`export { A, type B } from './file.js'\` or \`export class A\`.`,
    );
  }
}

function isExportKeyword({ kind }) {
  return kind === ts.SyntaxKind.ExportKeyword;
}
