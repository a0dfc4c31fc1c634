import { join } from 'node:path';
import { format } from 'prettier';
import ts from 'typescript';
import { listEntries } from '../workspace.mjs';

/** Entries for our own packages. */
const OURS = ['internal', 'engine'];

/**
 * Lists the public API of a package with its types as Markdown, from the published declarations, so that a diff shows changes.
 * Excludes the entries for our own packages, which are not stable.
 */
export async function apiReport(library) {
  const entries = listEntries(library).filter((entry) => !OURS.includes(entry));
  const paths = entries.map((entry) => join(library.dir, 'dist/cjs', `${entry}.d.ts`));
  const program = ts.createProgram(paths, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node'],
    // Otherwise the order of a union depends on the order in which the compiler sees its members.
    stableTypeOrdering: true,
  });
  const checker = program.getTypeChecker();
  const sections = entries.map(async (entry, at) => {
    const source = program.getSourceFile(paths[at]);
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
    const texts = exported
      .map((symbol) => [symbol.name, renderAll(resolved(symbol, checker), symbol.name, checker)])
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const name = library.manifest.name + findSubpath(entry, library.manifest);
    const code = texts.map(([, text]) => text).join('\n\n');
    const pretty = await format(code, { parser: 'typescript', singleQuote: true, printWidth: 110 });
    return `## ${name}\n\n\`\`\`ts\n${pretty}\`\`\`\n`;
  });
  const head = `# Public API of ${library.manifest.name}\n\nWritten by \`npm run api\`. \`npm run check\` fails when it is not up to date.\n`;
  return [head, ...(await Promise.all(sections))].join('\n');
}

/** What follows the package's name where the entry is imported. */
function findSubpath(entry, { exports }) {
  const isEntry = ([, target]) => target.import?.default === `./dist/esm/${entry}.js`;
  return Object.entries(exports).find(isEntry)[0].slice(1);
}

function resolved(symbol, checker) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
const WHOLE =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.MultilineObjectLiterals |
  ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

function renderAll(symbol, name, checker) {
  return (symbol.declarations ?? [])
    .map((declaration) => renderDeclaration(declaration, symbol, name, checker))
    .join('\n');
}

function renderDeclaration(declaration, symbol, name, checker) {
  // `export * as name`
  if (ts.isSourceFile(declaration)) {
    const texts = checker
      .getExportsOfModule(symbol)
      .map((member) => renderAll(resolved(member, checker), member.name, checker));
    return `namespace ${name} {\n${texts.join('\n')}\n}`;
  }
  // Expands derived types, such as those of an option table, but not the client, which repeats all routes.
  const isDerived = ts.isTypeAliasDeclaration(declaration) && declaration.typeParameters === undefined;
  if (isDerived && !ts.isMappedTypeNode(declaration.type))
    return `type ${name} = ${typeText(checker.getDeclaredTypeOfSymbol(symbol), declaration, checker)};`;
  if (ts.isVariableDeclaration(declaration))
    return `const ${name}: ${checker.typeToString(checker.getTypeOfSymbol(symbol), declaration, ts.TypeFormatFlags.NoTruncation)};`;
  const text = printer
    .printNode(ts.EmitHint.Unspecified, withoutPrivates(declaration), declaration.getSourceFile())
    .replace(/^export (default )?/, '')
    .replace(/^declare /, '');
  return text.replace(/^(class|function|interface) default_\d+/, `$1 ${name}`);
}

function typeText(type, declaration, checker) {
  if (
    !declaration.type ||
    !ts.isTypeReferenceNode(declaration.type) ||
    !type.getProperties().length ||
    type.isUnion()
  )
    return checker.typeToString(type, declaration, WHOLE);
  const properties = type.getProperties().map((property) => {
    const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
    const of = checker.getTypeOfSymbol(property);
    return `${property.name}${optional}: ${checker.typeToString(of, declaration, ts.TypeFormatFlags.NoTruncation)};`;
  });
  return `{\n${properties.join('\n')}\n}`;
}

/** Removes private members, which declarations contain. */
function withoutPrivates(node) {
  if (!ts.isClassDeclaration(node)) return node;
  const members = node.members.filter(
    (member) =>
      !(
        ts.canHaveModifiers(member) &&
        ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
      ),
  );
  return ts.factory.updateClassDeclaration(
    node,
    node.modifiers,
    node.name,
    node.typeParameters,
    node.heritageClauses,
    members,
  );
}
