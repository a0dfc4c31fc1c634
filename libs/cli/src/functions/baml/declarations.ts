import { type BamlType, readType } from './baml-type.js';
import { TokenReader } from './token-reader.js';
import { tokenize } from './tokenize.js';

export interface BamlField {
  readonly name: string;
  readonly type: BamlType;
}

interface BamlClass {
  readonly fields: readonly BamlField[];
  /** The application may add fields at run time. */
  readonly isDynamic: boolean;
}

interface BamlEnum {
  readonly values: readonly string[];
  readonly isDynamic: boolean;
}

export interface BamlFunction {
  readonly parameters: readonly BamlField[];
  readonly output: BamlType;
}

/** What a source declares, by name. Clients, tests, prompts and generators are skipped. */
export interface BamlDeclarations {
  readonly classes: ReadonlyMap<string, BamlClass>;
  readonly enums: ReadonlyMap<string, BamlEnum>;
  readonly aliases: ReadonlyMap<string, BamlType>;
  readonly functions: ReadonlyMap<string, BamlFunction>;
}

/** @throws BamlSyntaxError */
export function readDeclarations(source: string): BamlDeclarations {
  const tokens = new TokenReader(tokenize(source));
  const classes = new Map<string, BamlClass>();
  const enums = new Map<string, BamlEnum>();
  const aliases = new Map<string, BamlType>();
  const functions = new Map<string, BamlFunction>();
  while (!tokens.isAtEnd) {
    if (tokens.take('class')) classes.set(tokens.word(), readClass(tokens));
    else if (tokens.take('enum')) enums.set(tokens.word(), readEnum(tokens));
    else if (tokens.take('function')) functions.set(tokens.word(), readFunction(tokens));
    else if (tokens.take('type')) aliases.set(tokens.word(), readAlias(tokens));
    else skipDeclaration(tokens);
  }
  return { classes, enums, aliases, functions };
}

function readClass(tokens: TokenReader): BamlClass {
  const fields: BamlField[] = [];
  let isDynamic = false;
  tokens.expect('{');
  while (!tokens.take('}')) {
    if (tokens.attributes().includes('@@dynamic')) isDynamic = true;
    if (tokens.peek?.kind !== 'word') {
      if (!tokens.take(',') && tokens.peek?.text !== '}') tokens.fail('a field');
      continue;
    }
    fields.push({ name: tokens.word(), type: readType(tokens) });
  }
  return { fields, isDynamic };
}

function readEnum(tokens: TokenReader): BamlEnum {
  const values: string[] = [];
  let isDynamic = false;
  tokens.expect('{');
  while (!tokens.take('}')) {
    if (tokens.attributes().includes('@@dynamic')) isDynamic = true;
    else if (!tokens.take(',')) values.push(tokens.word());
  }
  return { values, isDynamic };
}

function readFunction(tokens: TokenReader): BamlFunction {
  const parameters: BamlField[] = [];
  tokens.expect('(');
  while (!tokens.take(')')) {
    const name = tokens.word();
    tokens.expect(':');
    parameters.push({ name, type: readType(tokens) });
    tokens.attributes();
    tokens.take(',');
  }
  tokens.expect('->');
  const output = readType(tokens);
  tokens.attributes();
  tokens.skipGroup('{');
  return { parameters, output };
}

function readAlias(tokens: TokenReader): BamlType {
  tokens.expect('=');
  const type = readType(tokens);
  tokens.attributes();
  return type;
}

/** Skips to the end of the declaration's braces, or of its raw string. */
function skipDeclaration(tokens: TokenReader): void {
  while (!tokens.isAtEnd) {
    if (tokens.peek?.text === '{') {
      tokens.skipGroup('{');
      return;
    }
    if (tokens.next().kind === 'raw') return;
  }
}
