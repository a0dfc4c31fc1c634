/** All objects reachable from these values by own properties, items and entries. Runs no getters. */
export function reachableObjects(values: readonly unknown[]): ReadonlySet<object> {
  const reached = new Set<object>();
  const waiting: unknown[] = [...values];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null || reached.has(value)) continue;
    reached.add(value);
    if (ArrayBuffer.isView(value)) continue;
    if (value instanceof Map) for (const entry of value) waiting.push(...entry);
    if (value instanceof Set) waiting.push(...value);
    for (const key of Reflect.ownKeys(value))
      waiting.push(Object.getOwnPropertyDescriptor(value, key)?.value);
  }
  return reached;
}
