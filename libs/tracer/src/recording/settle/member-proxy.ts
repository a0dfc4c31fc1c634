/** Replacements for some of an object's members, by name. */
export type MemberOverrides = Partial<Record<string | symbol, (...args: unknown[]) => unknown>>;

/**
 * The same object with some members replaced.
 *
 * Its own methods run on the object itself, because private fields and native slots are not on a proxy; a method
 * that returns the object returns the proxy, so that chaining keeps the replacements.
 */
export function withMembers<T extends object>(target: T, overrides: MemberOverrides): T {
  const proxy: T = new Proxy(target, {
    get(object, name) {
      const override = overrides[name];
      if (override !== undefined) return override;
      const member: unknown = Reflect.get(object, name, object);
      if (typeof member !== 'function' || !isReplaceable(object, name) || name === 'constructor')
        return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, object, args);
        return result === object ? proxy : result;
      };
    },
  });
  return proxy;
}

/** A proxy must give a frozen member as it is. */
function isReplaceable(object: object, name: string | symbol): boolean {
  const own = Reflect.getOwnPropertyDescriptor(object, name);
  return own === undefined || own.configurable === true || own.writable === true;
}
