const CLASSES = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError } as const;

/**
 * An error to be filled by `fillError`: of the platform's class of that name, else of a new class that has the name and
 * extends `Error`.
 */
export function newError(className: string): Error {
  if (className === 'AggregateError') return new AggregateError([]);
  if (Object.hasOwn(CLASSES, className)) return new CLASSES[className as keyof typeof CLASSES]();
  const Named = class extends Error {};
  Object.defineProperty(Named, 'name', { value: className, configurable: true });
  return new Named();
}

/** Gives an error what was recorded of it; what is not enumerable on errors is not here either. */
export function fillError(error: Error, properties: Iterable<readonly [string, unknown]>): void {
  for (const [key, value] of properties) {
    if (key === 'name' && error.name === value) continue;
    Object.defineProperty(error, key, {
      value,
      enumerable: !['name', 'message', 'cause', 'errors'].includes(key),
      configurable: true,
      writable: true,
    });
  }
}
