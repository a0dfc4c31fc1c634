/** Reads a platform getter, such as `Request.prototype.url`; `undefined` if it throws. */
export function platformProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key) as unknown;
  } catch {
    return undefined;
  }
}
