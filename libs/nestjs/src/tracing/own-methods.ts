import type { Method } from './traced-method.js';

const LIFECYCLE_HOOKS = new Set<string>([
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

/** JavaScript and its tools call these to print or compare an object; they are not the application's work. */
const CONVERSIONS = new Set<string | symbol>([
  'toJSON',
  'toString',
  'toLocaleString',
  'valueOf',
  Symbol.toPrimitive,
  Symbol.for('nodejs.util.inspect.custom'),
]);

interface OwnMethod {
  readonly name: string | symbol;
  readonly method: Method;
  readonly descriptor: PropertyDescriptor;
}

/** The public instance methods that a class defines itself, without its constructor, accessors and Nest's lifecycle hooks. */
export function ownMethods(prototype: object): OwnMethod[] {
  return Reflect.ownKeys(prototype).flatMap((name) => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    const method: unknown = descriptor?.value;
    if (descriptor === undefined || typeof method !== 'function') return [];
    if (name === 'constructor' || (typeof name === 'string' && LIFECYCLE_HOOKS.has(name))) return [];
    return [{ name, method: method as Method, descriptor }];
  });
}

/** The methods of a class and those that it inherits, each name once, with the prototype that defines them. */
export function* allMethods(type: {
  readonly prototype?: unknown;
}): Generator<OwnMethod & { readonly prototype: object }> {
  const seen = new Set<string | symbol>();
  let prototype = type.prototype;
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const own of ownMethods(prototype)) {
      if (!seen.has(own.name)) yield { ...own, prototype };
      seen.add(own.name);
    }
    prototype = Object.getPrototypeOf(prototype) as unknown;
  }
}

/** Whether a method converts its object to text or data. */
export function isConversion(name: string | symbol): boolean {
  return CONVERSIONS.has(name);
}
