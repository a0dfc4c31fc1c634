type Emit = (name: string | symbol, ...args: unknown[]) => unknown;

/**
 * Observes the events of an object by replacing its method `method`, which keeps working. A listener would be visible to the application.
 *
 * @returns a function that restores the method, unless other code has replaced it since
 */
export function hearEmitted(
  target: object,
  method: string,
  hear: (name: string | symbol, argument: unknown) => void,
): () => void {
  const before = Reflect.getOwnPropertyDescriptor(target, method);
  const emit: unknown = Reflect.get(target, method);
  const heard: Emit = function (this: unknown, ...event) {
    hear(event[0], event[1]);
    return Reflect.apply(emit as Emit, this, event);
  };
  Object.defineProperty(target, method, {
    value: heard,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return () => {
    if (Reflect.getOwnPropertyDescriptor(target, method)?.value !== heard) return;
    if (before === undefined) Reflect.deleteProperty(target, method);
    else Object.defineProperty(target, method, before);
  };
}
