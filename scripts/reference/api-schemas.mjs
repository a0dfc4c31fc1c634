import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../workspace.mjs';

const PROTOCOL = join(ROOT, 'libs/protocol/src');
/** Types for any JSON, whose definitions are recursive. */
const OPEN = { JsonValue: {}, JsonObject: { type: 'object' } };

/**
 * Generates the JSON Schema (2020-12) of the recorded types that routes name, and of all types that they use, with their docstrings.
 * The collector's OpenAPI document includes it.
 */
export function apiSchemas() {
  const paths = ['http', 'records'].flatMap((folder) =>
    readdirSync(join(PROTOCOL, folder))
      .filter((name) => /^[a-z-]+\.ts$/.test(name))
      .map((name) => join(PROTOCOL, folder, name)),
  );
  const program = ts.createProgram([join(PROTOCOL, 'index.ts')], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts'],
    strict: true,
    exactOptionalPropertyTypes: true,
    types: [],
  });
  const writer = new SchemaWriter(program.getTypeChecker());
  const named = namedInRoutes();
  for (const path of paths) {
    const source = program.getSourceFile(path);
    source?.forEachChild((node) => {
      const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
      if (isType && named.has(node.name.text)) writer.add(node.name);
    });
  }
  return `${JSON.stringify(writer.sorted(), null, 2)}\n`;
}

function namedInRoutes() {
  const folder = join(PROTOCOL, 'api/routes');
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const names = sources.flatMap((source) => [...source.matchAll(/\brecorded<[^(]+\(\s*'(\w+)'/g)]);
  return new Set(['ErrorBody', ...names.map(([, name]) => name)]);
}

class SchemaWriter {
  schemas = new Map();

  constructor(checker) {
    this.checker = checker;
  }

  add(name) {
    this.define(name.text, this.checker.getTypeAtLocation(name), this.checker.getSymbolAtLocation(name));
  }

  sorted() {
    const byName = ([left], [right]) => (left < right ? -1 : 1);
    return Object.fromEntries([...this.schemas].filter(([name]) => !(name in OPEN)).sort(byName));
  }

  define(name, type, symbol) {
    if (name in OPEN || this.schemas.has(name)) return;
    this.schemas.set(name, {});
    this.schemas.set(name, { ...this.described(symbol), ...this.toShape(type) });
  }

  /** A reference for a named type of the protocol, otherwise the type's shape. */
  toSchema(type) {
    const symbol = type.aliasSymbol ?? (isInterface(type) ? type.symbol : undefined);
    const isGeneric = (type.aliasTypeArguments ?? type.typeArguments ?? []).length > 0;
    if (symbol === undefined || isGeneric || !isOfProtocol(symbol)) return this.toShape(type);
    if (symbol.name in OPEN) return OPEN[symbol.name];
    this.define(symbol.name, type, symbol);
    return { $ref: `#/components/schemas/${symbol.name}` };
  }

  toShape(type) {
    if (type.isUnion()) return this.toUnion(type.types);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: type.intrinsicName === 'true' };
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return {};
    if (this.checker.isTupleType(type)) {
      const prefixItems = this.checker.getTypeArguments(type).map((item) => this.toSchema(item));
      return { type: 'array', prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
    }
    if (this.checker.isArrayType(type)) {
      return { type: 'array', items: this.toSchema(this.checker.getTypeArguments(type)[0]) };
    }
    return this.toObject(type);
  }

  toUnion(types) {
    const known = types.filter((type) => !(type.flags & ts.TypeFlags.Undefined));
    const truths = known.filter((type) => type.flags & ts.TypeFlags.BooleanLiteral);
    const rest = truths.length === 2 ? known.filter((type) => !truths.includes(type)) : known;
    if (
      rest.length === known.length &&
      known.every((type) => type.isStringLiteral() || type.isNumberLiteral())
    ) {
      return known.length === 1 ? { const: known[0].value } : { enum: known.map(({ value }) => value) };
    }
    const shapes = rest.map((type) => this.toSchema(type));
    if (truths.length === 2) shapes.push({ type: 'boolean' });
    return shapes.length === 1 ? shapes[0] : { anyOf: shapes };
  }

  toObject(type) {
    const properties = {};
    const required = [];
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const shape = this.toSchema(this.checker.getTypeOfSymbol(symbol));
      properties[symbol.name] = { ...shape, ...this.described(symbol) };
      if (!(symbol.flags & ts.SymbolFlags.Optional)) required.push(symbol.name);
    }
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(index !== undefined && { additionalProperties: this.toSchema(index.type) }),
    };
  }

  described(symbol) {
    const parts = symbol?.getDocumentationComment(this.checker) ?? [];
    const text = ts
      .displayPartsToString(parts)
      .replace(/\{@link (?:ROUTES\.)?(\w+)\s*\}/g, '`$1`')
      .replace(/\s+/g, ' ');
    return text.trim() === '' ? {} : { description: text.trim() };
  }
}

function isInterface(type) {
  return Boolean(type.objectFlags & ts.ObjectFlags.Interface);
}

function isOfProtocol(symbol) {
  return (symbol.declarations ?? []).some((declaration) =>
    declaration.getSourceFile().fileName.startsWith(PROTOCOL),
  );
}
