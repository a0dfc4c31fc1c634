const CHAIN_LIMIT = 32;

/** A data property of the object or of its prototypes. Runs no getter; an accessor counts as absent. */
export function dataProperty(value: object, key: PropertyKey): unknown {
  let holder: object | null = value;
  for (let hops = 0; holder !== null && hops < CHAIN_LIMIT; hops++) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) return descriptor.value;
    holder = Reflect.getPrototypeOf(holder);
  }
  return undefined;
}

/** What a getter of the platform answers, such as `Request.prototype.url`; `undefined` when it throws. */
export function platformProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether `prototype` is an `Object.prototype`, of this realm or another. */
export function isObjectPrototype(prototype: object): boolean {
  return (
    prototype === Object.prototype ||
    (Object.getPrototypeOf(prototype) === null &&
      Object.hasOwn(prototype, 'hasOwnProperty') &&
      Object.hasOwn(prototype, 'isPrototypeOf'))
  );
}
