import type { TokenReader } from './token-reader.js';

/** `name` is a primitive, or a class, enum or alias of the source. */
export type BamlType =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'list'; readonly of: BamlType }
  | { readonly kind: 'map'; readonly key: BamlType; readonly value: BamlType }
  | { readonly kind: 'optional'; readonly of: BamlType }
  | { readonly kind: 'union'; readonly members: readonly BamlType[] };

/** @throws BamlSyntaxError */
export function readType(tokens: TokenReader): BamlType {
  const members = [readPostfix(tokens)];
  while (tokens.take('|')) members.push(readPostfix(tokens));
  return members.length === 1 ? (members[0] as BamlType) : { kind: 'union', members };
}

function readPostfix(tokens: TokenReader): BamlType {
  let type = readPrimary(tokens);
  for (;;) {
    if (tokens.take('?')) type = { kind: 'optional', of: type };
    else if (tokens.take('[')) {
      tokens.expect(']');
      type = { kind: 'list', of: type };
    } else return type;
  }
}

function readPrimary(tokens: TokenReader): BamlType {
  tokens.attributes();
  if (tokens.take('(')) {
    const type = readType(tokens);
    tokens.attributes();
    tokens.expect(')');
    return type;
  }
  const { kind, text } = tokens.peek ?? tokens.fail('a type');
  if (kind === 'string' || kind === 'number' || text === 'true' || text === 'false') {
    return { kind: 'literal', text: tokens.next().text };
  }
  const name = tokens.word();
  if (name !== 'map') return { kind: 'name', name };
  tokens.expect('<');
  const key = readType(tokens);
  tokens.expect(',');
  const value = readType(tokens);
  tokens.expect('>');
  return { kind: 'map', key, value };
}
