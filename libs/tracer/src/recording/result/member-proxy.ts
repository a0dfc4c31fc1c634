import { type Callable, isCallable } from './result-kinds.js';

/** Replacements for some of an object's members, by name. */
export type MemberOverrides = Partial<Record<string | symbol, Callable>>;

export interface MemberRules {
  /** Stand in for the object's own members, until its holder sets them to something else. */
  readonly overrides: MemberOverrides;
  /** Methods that run on the proxy, so that they use what is replaced; all others run on the object itself. */
  readonly onProxy?: ReadonlySet<string | symbol>;
  /** Maps a method's result, unless it is the object itself, which the proxy replaces. */
  readonly mapResult?: (result: unknown) => unknown;
}

/**
 * The same object with some members replaced.
 *
 * Its own members run on the object itself, because private fields and native slots are not on a proxy. A method is
 * the same function each time it is read, so that a listener can be removed again.
 */
export function withMembers<T extends object>(target: T, rules: MemberRules): T {
  const { onProxy, mapResult = (result: unknown): unknown => result } = rules;
  const overrides = new Map(Reflect.ownKeys(rules.overrides).map((name) => [name, rules.overrides[name]]));
  const methods = new WeakMap<object, unknown>();
  const wrap = (method: Callable): unknown =>
    new Proxy(method, {
      apply(callable, self, args: unknown[]): unknown {
        const result: unknown = Reflect.apply(callable, self === proxy ? target : self, args);
        return result === target ? proxy : mapResult(result);
      },
    });
  const proxy: T = new Proxy(target, {
    get(object, name): unknown {
      const override = overrides.get(name);
      if (override !== undefined) return override;
      const member: unknown = Reflect.get(object, name, object);
      if (!isCallable(member) || name === 'constructor' || onProxy?.has(name) === true) return member;
      if (!isReplaceable(object, name)) return member;
      const known = methods.get(member);
      if (known !== undefined) return known;
      const wrapped = wrap(member);
      methods.set(member, wrapped);
      return wrapped;
    },
    set(object, name, value) {
      overrides.delete(name);
      return Reflect.set(object, name, value, object);
    },
  });
  return proxy;
}

/** Whether a proxy may replace a member. JavaScript requires that it returns frozen members unchanged. */
export function isReplaceable(object: object, name: string | symbol): boolean {
  const own = Reflect.getOwnPropertyDescriptor(object, name);
  return own === undefined || own.configurable === true || own.writable === true;
}
