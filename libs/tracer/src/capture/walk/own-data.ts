/** What a getter of the platform answers, such as `Request.prototype.url`; `undefined` when it throws. */
export function platformProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key) as unknown;
  } catch {
    return undefined;
  }
}
