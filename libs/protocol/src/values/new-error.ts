const CLASSES = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError } as const;

/**
 * An empty error for `fillError`: of the platform class with this name, or of a new subclass of `Error` with this name.
 */
export function newError(className: string): Error {
  if (className === 'AggregateError') return new AggregateError([]);
  if (Object.hasOwn(CLASSES, className)) return new CLASSES[className as keyof typeof CLASSES]();
  const Named = class extends Error {};
  Object.defineProperty(Named, 'name', { value: className, configurable: true });
  return new Named();
}

/** Sets recorded properties on an error. Standard properties of errors stay non-enumerable. */
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
