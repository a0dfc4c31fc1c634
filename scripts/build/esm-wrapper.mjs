import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { pruneFolder } from './prune-folder.mjs';
import { entriesOf } from '../workspace.mjs';

/**
 * Gives a package that is built once, as CommonJS, its ES module entries: every name passed on by name, so that
 * `import` and `require` meet the same classes and the same state.
 */
export function writeEsmWrappers(library) {
  const outDir = join(library.dir, 'dist/esm');
  mkdirSync(outDir, { recursive: true });
  const entries = entriesOf(library);
  for (const entry of entries) {
    const names = exportedNames(join(library.dir, 'src', `${entry}.ts`));
    const line = (kept) =>
      `export { ${kept.map(({ name }) => name).join(', ')} } from '../cjs/${entry}.js';\n`;
    writeFileSync(join(outDir, `${entry}.js`), line(names.filter(({ isType }) => !isType)));
    writeFileSync(join(outDir, `${entry}.d.ts`), line(names));
  }
  pruneFolder(outDir, ['package.json', ...entries.flatMap((entry) => [`${entry}.js`, `${entry}.d.ts`])]);
}

function exportedNames(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.filter(ts.isExportDeclaration).flatMap((declaration) => {
    if (!declaration.exportClause || !ts.isNamedExports(declaration.exportClause)) {
      throw new Error(`${path}: name every export, as \`export { A, type B } from './file.js'\`.`);
    }
    return declaration.exportClause.elements.map((element) => ({
      name: element.name.text,
      isType: declaration.isTypeOnly || element.isTypeOnly,
    }));
  });
}
