const CLASSES = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError } as const;

/** An error to be filled by `fillError`: of the platform's class of that name, else an `Error`. */
export function newError(className: unknown): Error {
  if (className === 'AggregateError') return new AggregateError([]);
  const name = typeof className === 'string' && Object.hasOwn(CLASSES, className) ? className : 'Error';
  return new CLASSES[name as keyof typeof CLASSES]();
}

/** Gives an error what was recorded of it; what is not enumerable on errors is not here either. */
export function fillError(error: Error, properties: Iterable<[string, unknown]>): void {
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
