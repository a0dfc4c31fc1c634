import type { JsonValue } from '@dacapo/protocol';
import { types } from 'node:util';
import { functionName } from './class-traits.js';

export interface RareValue {
  /** What stands in the text. */
  readonly json: string;
  readonly note: JsonValue;
  /** It cannot be made again. */
  readonly lost: boolean;
}

const BIGINT_BITS = 4096;
const LABEL_LENGTH = 200;

/** Primitives that JSON has no word for, and functions. */
export function describeRareValue(value: unknown): RareValue {
  switch (typeof value) {
    case 'undefined':
      return { json: 'null', note: 'undefined', lost: false };
    case 'number':
      return Object.is(value, -0)
        ? { json: '0', note: '-0', lost: false }
        : { json: `"${String(value)}"`, note: 'number', lost: false };
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
    return { json: `"${String(value)}"`, note: 'bigint', lost: false };
  return { json: '"[BigInt]"', note: { type: 'opaque', class: 'BigInt' }, lost: true };
}

function describeSymbol(value: symbol): RareValue {
  const text = value.description ?? '';
  const json = JSON.stringify(`Symbol(${text.slice(0, LABEL_LENGTH)})`);
  const registered = Symbol.keyFor(value);
  if (registered !== undefined && registered.length <= LABEL_LENGTH) {
    return { json, note: { type: 'symbol', key: registered }, lost: false };
  }
  const wellKnown = /^Symbol\.(\w+)$/.exec(text)?.[1];
  if (wellKnown !== undefined && Reflect.get(Symbol, wellKnown) === value) {
    return { json, note: { type: 'symbol', wellKnown }, lost: false };
  }
  return { json, note: { type: 'opaque', class: 'Symbol' }, lost: true };
}

function describeFunction(value: object): RareValue {
  const kind = types.isAsyncFunction(value) ? 'AsyncFunction' : 'Function';
  const label = `[${kind} ${functionName(value)}`.trimEnd();
  return { json: JSON.stringify(`${label}]`), note: { type: 'opaque', class: 'Function' }, lost: true };
}
