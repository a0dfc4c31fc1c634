import { MisplacedDecoratorError } from '../errors.js';
import { DEFAULT_TRACER } from '../tokens.js';
import { isUntraced } from './no-trace.decorator.js';
import { ownMethods } from './own-methods.js';
import { type Method, tracedMethodOf } from './traced-method.js';
import { checkTracedOptions, type TracedOptions } from './traced-options.js';
import { openSlot } from './tracer-slot.js';
import { wrapMethod } from './wrap-method.js';

/**
 * Records the calls of a method, or of all methods of a class: each becomes a span of the application's tracer, nested by
 * call stack.
 *
 * The method stays what it was for callers, for Nest and for other decorators, above or below. Without a `TracerModule`
 * it simply runs. On a class: methods it defines itself, without accessors, lifecycle hooks, static methods and those
 * with a `@Traced` or `@NoTrace` of their own.
 *
 * @param key groups the calls, and names them for replay; on a class, `key.method` does. Default: `Class.method`
 * @throws InvalidModuleOptionError, MisplacedDecoratorError when the class is defined
 */
export function Traced(key?: string, options?: TracedOptions): ClassDecorator & MethodDecorator;
export function Traced(options: TracedOptions): ClassDecorator & MethodDecorator;
export function Traced(
  keyOrOptions?: string | TracedOptions,
  more: TracedOptions = {},
): ClassDecorator & MethodDecorator {
  const [key, options] = typeof keyOrOptions === 'object' ? [undefined, keyOrOptions] : [keyOrOptions, more];
  checkTracedOptions(key, options);
  return (target: object, propertyKey?: string | symbol, descriptor?: PropertyDescriptor) => {
    if (propertyKey === undefined) traceClass(target as NamedClass, key, options);
    else traceMethod(target, propertyKey, descriptor, key, options);
  };
}

interface NamedClass {
  readonly name: string;
  readonly prototype: object;
}

function traceClass(
  { name: className, prototype }: NamedClass,
  key: string | undefined,
  options: TracedOptions,
): void {
  for (const { name, method, descriptor } of ownMethods(prototype)) {
    if (tracedMethodOf(method) !== undefined || isUntraced(method)) continue;
    const value = wrapMethod(method, { key: `${key ?? className}.${name}`, methodName: name, options });
    Object.defineProperty(prototype, name, { ...descriptor, value });
  }
  openSlot(prototype, options.tracer ?? DEFAULT_TRACER);
}

function traceMethod(
  target: object,
  propertyKey: string | symbol,
  descriptor: PropertyDescriptor | undefined,
  key: string | undefined,
  options: TracedOptions,
): void {
  const method: unknown = descriptor?.value;
  if (descriptor === undefined || typeof method !== 'function') {
    throw new MisplacedDecoratorError(
      `Traced on ${String(propertyKey)}`,
      'stands on what is no method',
      'Write it as a method: neither an arrow function in a property nor an accessor can be decorated.',
    );
  }
  if (tracedMethodOf(method) !== undefined) return;
  const isStatic = typeof target === 'function';
  const className = isStatic ? target.name : target.constructor.name;
  descriptor.value = wrapMethod(method as Method, {
    key: key ?? `${className}.${String(propertyKey)}`,
    methodName: propertyKey,
    options,
  });
  if (!isStatic) openSlot(target, options.tracer ?? DEFAULT_TRACER);
}
