import type { FunctionVersionRecord } from '@dacapo/protocol';
import type { BamlType } from './baml/baml-type.js';
import { type BamlDeclarations, type BamlFunction, readDeclarations } from './baml/declarations.js';
import { quote, TypePrinter } from './print-types.js';

const HEAD = `// Written by \`dacapo functions types\`. Do not edit: run it again.
/* eslint-disable */
import type {} from '@dacapo/tracer';
`;

/**
 * Prints the input and output types of native functions, and the declaration that makes `tracer.call` typed.
 *
 * @throws BamlSyntaxError when a source cannot be read
 */
export function typesFile(functions: readonly FunctionVersionRecord[]): string {
  const members = functions.map(({ name }) => {
    const type = toIdentifier(name);
    return `    ${quote(name)}: { input: ${type}Input; output: ${type}Output };\n`;
  });
  return [
    HEAD,
    ...functions.map(printFunction),
    `declare module '@dacapo/tracer' {\n  interface NativeFunctionTypes {\n${members.join('')}  }\n}\n`,
  ].join('\n');
}

function printFunction({ name, version, source, entry }: FunctionVersionRecord): string {
  const declarations = readDeclarations(source);
  const type = toIdentifier(name);
  const { parameters, output } = declarations.functions.get(entry) ?? NO_FUNCTION;
  const outside = new TypePrinter(declarations, `${type}Types.`);
  const named = printNamed(declarations, [...parameters.map((parameter) => parameter.type), output]);
  return [
    `/** ${name}, version ${version}. */\n`,
    `export interface ${type}Input {\n${outside.fields(parameters, '  ')}}\n\n`,
    `export type ${type}Output = ${outside.type(output)};\n`,
    named === '' ? '' : `\nexport declare namespace ${type}Types {\n${named}}\n`,
  ].join('');
}

/** Prints the classes, enums and aliases that `roots` use, in source order. */
function printNamed(declarations: BamlDeclarations, roots: readonly BamlType[]): string {
  const { classes, enums, aliases } = declarations;
  const used = new Set<string>();
  const visit = (type: BamlType): void => {
    if (type.kind === 'union') type.members.forEach(visit);
    else if (type.kind === 'map') [type.key, type.value].forEach(visit);
    else if (type.kind === 'list' || type.kind === 'optional') visit(type.of);
    else if (type.kind === 'name' && !used.has(type.name)) {
      used.add(type.name);
      classes.get(type.name)?.fields.forEach((field) => {
        visit(field.type);
      });
      const alias = aliases.get(type.name);
      if (alias !== undefined) visit(alias);
    }
  };
  roots.forEach(visit);

  const inside = new TypePrinter(declarations);
  const isUsed = ([name]: readonly [string, unknown]): boolean => used.has(name);
  return [
    ...[...aliases].filter(isUsed).map(([name, type]) => `  type ${name} = ${inside.type(type)};\n`),
    ...[...enums].filter(isUsed).map(([name, { values, isDynamic }]) => {
      const all = [...values.map(quote), ...(isDynamic ? ['(string & {})'] : [])];
      return `  type ${name} = ${all.join(' | ')};\n`;
    }),
    ...[...classes].filter(isUsed).map(([name, { fields, isDynamic }]) => {
      const more = isDynamic ? '    [field: string]: unknown;\n' : '';
      return `  interface ${name} {\n${inside.fields(fields, '    ')}${more}  }\n`;
    }),
  ].join('');
}

/** `support.classify-v2` becomes `SupportClassifyV2`. */
function toIdentifier(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

const NO_FUNCTION: BamlFunction = { parameters: [], output: { kind: 'name', name: 'unknown' } };
