import { functionName } from '@dacapo/protocol';
import { types } from 'node:util';
import type { RareValue } from '../walk/walk.js';

const BIGINT_BITS = 4096;
const LABEL_LENGTH = 200;

/** Describes NaN, the infinities, bigints, symbols and functions. */
export function describeRareValue(value: unknown): RareValue {
  switch (typeof value) {
    case 'number':
      return { text: String(value), note: 'number', lost: false };
    case 'bigint':
      return describeBigInt(value);
    case 'symbol':
      return describeSymbol(value);
    default:
      return describeFunction(value as object);
  }
}

function describeBigInt(value: bigint): RareValue {
  if (BigInt.asIntN(BIGINT_BITS, value) === value)
    return { text: String(value), note: 'bigint', lost: false };
  return { text: '[BigInt]', note: { type: 'opaque', class: 'BigInt' }, lost: true };
}

function describeSymbol(value: symbol): RareValue {
  const text = value.description ?? '';
  const label = `Symbol(${text.slice(0, LABEL_LENGTH)})`;
  const registered = Symbol.keyFor(value);
  if (registered !== undefined && registered.length <= LABEL_LENGTH) {
    return { text: label, note: { type: 'symbol', key: registered }, lost: false };
  }
  const wellKnown = /^Symbol\.(\w+)$/.exec(text)?.[1];
  if (wellKnown !== undefined && Reflect.get(Symbol, wellKnown) === value) {
    return { text: label, note: { type: 'symbol', wellKnown }, lost: false };
  }
  return { text: label, note: { type: 'opaque', class: 'Symbol' }, lost: true };
}

function describeFunction(value: object): RareValue {
  const kind = types.isAsyncFunction(value) ? 'AsyncFunction' : 'Function';
  const text = `[${`${kind} ${functionName(value)}`.trimEnd()}]`;
  return { text, note: { type: 'opaque', class: 'Function' }, lost: true };
}
