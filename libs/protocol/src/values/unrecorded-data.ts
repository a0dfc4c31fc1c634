/**
 * Whether an array or a plain object holds data that its record does not show: names beside an array's items, data under symbols, or
 * what only its kind tells (an `arguments` object, `Math`, a Date that lost its prototype). A recording does not look for these, because
 * that takes too long for each value. A comparison does. Runs no getter, but traps of a Proxy.
 *
 * @returns `true` also where a Proxy refuses to tell
 */
export function hasUnrecordedData(value: object): boolean {
  try {
    if (Object.getOwnPropertySymbols(value).some((symbol) => isData(value, symbol))) return true;
    return Array.isArray(value) ? hasNamesBesideItems(value, value.length) : isOfOtherKind(value);
  } catch {
    return true;
  }
}

/** Whether an object with so many items or characters has enumerable properties beside these. */
export function hasNamesBesideItems(value: object, items: number): boolean {
  return Object.keys(value).some((key) => !INDEX.test(key) || Number(key) >= items);
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** A property that is missing equals one that is `undefined`. */
function isData(value: object, symbol: symbol): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(value, symbol);
  if (descriptor?.enumerable !== true) return false;
  return descriptor.get !== undefined || descriptor.value !== undefined;
}

function isOfOtherKind(value: object): boolean {
  return (
    Object.hasOwn(value, Symbol.toStringTag) || Object.prototype.toString.call(value) !== '[object Object]'
  );
}
