import { hasExtraNames } from './extra-names.js';

/**
 * Whether an array or a plain object holds data that its record lacks: named properties of an array, data under symbols, or an
 * exotic object (`arguments`, `Math`, a Date without its prototype). Only comparisons check this, because it is too slow for every
 * recorded value. Runs Proxy traps, but no getters.
 *
 * @returns `true` also if a Proxy trap throws
 */
export function hasUnrecordedData(value: object): boolean {
  try {
    if (Object.getOwnPropertySymbols(value).some((symbol) => isData(value, symbol))) return true;
    return Array.isArray(value) ? hasExtraNames(value, value.length) : isOtherKind(value);
  } catch {
    return true;
  }
}

/** `undefined` is not data: it equals a missing property. */
function isData(value: object, symbol: symbol): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(value, symbol);
  if (descriptor?.enumerable !== true) return false;
  return descriptor.get !== undefined || descriptor.value !== undefined;
}

function isOtherKind(value: object): boolean {
  return (
    Object.hasOwn(value, Symbol.toStringTag) || Object.prototype.toString.call(value) !== '[object Object]'
  );
}
