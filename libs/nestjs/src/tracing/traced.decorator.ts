import { MisplacedDecoratorError } from '../errors.js';
import { DEFAULT_TRACER } from '../tokens.js';
import { isUntraced } from './no-trace.decorator.js';
import { isConversion, ownMethods } from './own-methods.js';
import { findTracedMethod, type Method, tracedMethodOf } from './traced-method.js';
import { checkTracedOptions, type TracedOptions } from './traced-options.js';
import { openSlot } from './tracer-slot.js';
import { wrapMethod } from './wrap-method.js';

/**
 * Records the calls of a method, or of all methods of a class: each becomes a span of the application's tracer, nested by
 * call stack.
 *
 * The method stays what it was for callers, for Nest and for other decorators, above or below. Without a `TracerModule`
 * it simply runs. On a class: methods it defines itself, without accessors, lifecycle hooks, static methods, those that
 * convert it (`toJSON`, `toString`, `valueOf`) and those with a `@Traced` or `@NoTrace` of their own. On a property that
 * holds a function, such as a `@Saga()`: of instances that the container makes.
 *
 * @param key groups the calls, and names them for replay; on a class, `key.method` does. Default: `Class.method`
 * @throws InvalidModuleOptionError, MisplacedDecoratorError when the class is defined, or for a property when it is made
 */
export function Traced(
  key?: string,
  options?: TracedOptions,
): ClassDecorator & MethodDecorator & PropertyDecorator;
export function Traced(options: TracedOptions): ClassDecorator & MethodDecorator & PropertyDecorator;
export function Traced(
  keyOrOptions?: string | TracedOptions,
  more: TracedOptions = {},
): ClassDecorator & MethodDecorator & PropertyDecorator {
  const [key, options] = typeof keyOrOptions === 'object' ? [undefined, keyOrOptions] : [keyOrOptions, more];
  checkTracedOptions(key, options);
  return (target: object, propertyKey?: string | symbol, descriptor?: PropertyDescriptor) => {
    if (propertyKey === undefined) traceClass(target as NamedClass, key, options);
    else if (descriptor === undefined) traceProperty(target, propertyKey, key, options);
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
    if (isConversion(name) || findTracedMethod(prototype, name) !== undefined || isUntraced(method)) continue;
    const place = { key: `${key ?? className}.${String(name)}`, methodName: name, className, options };
    Object.defineProperty(prototype, name, { ...descriptor, value: wrapMethod(method, place, prototype) });
  }
  openSlot(prototype, options.tracer ?? DEFAULT_TRACER);
}

function traceMethod(
  target: object,
  propertyKey: string | symbol,
  descriptor: PropertyDescriptor,
  key: string | undefined,
  options: TracedOptions,
): void {
  const className = classNameOf(target);
  const place = `${className}.${String(propertyKey)}`;
  const method: unknown = descriptor.value;
  if (typeof method !== 'function')
    throw misplaced(place, 'is on an accessor', 'Move the code to a method, and call that in the accessor.');
  if (findTracedMethod(target, propertyKey) !== undefined) return;
  const wrapping = { key: key ?? place, methodName: propertyKey, className, options };
  descriptor.value = wrapMethod(method as Method, wrapping, target);
  if (typeof target !== 'function') openSlot(target, options.tracer ?? DEFAULT_TRACER);
}

/**
 * A property has its function when the instance is made, and the container gives the instance its tracer after that:
 * this is when the function is wrapped, whichever way the compiler defines fields.
 */
function traceProperty(
  target: object,
  propertyKey: string | symbol,
  key: string | undefined,
  options: TracedOptions,
): void {
  const className = classNameOf(target);
  const place = `${className}.${String(propertyKey)}`;
  if (typeof target === 'function')
    throw misplaced(place, 'is on a static property', 'Write it as a static method.');
  openSlot(target, options.tracer ?? DEFAULT_TRACER, (instance) => {
    const properties = instance as Record<string | symbol, unknown>;
    const held = properties[propertyKey];
    if (typeof held !== 'function')
      throw misplaced(place, `is on a property that holds ${typeof held}`, 'Put it on a method.');
    if (tracedMethodOf(held) !== undefined) return;
    const wrapping = { key: key ?? place, methodName: propertyKey, className, options };
    Reflect.set(properties, propertyKey, wrapMethod(held as Method, wrapping));
  });
}

function classNameOf(target: object): string {
  return typeof target === 'function' ? target.name : target.constructor.name;
}

function misplaced(place: string, problem: string, cure: string): MisplacedDecoratorError {
  return new MisplacedDecoratorError(`Traced on ${place}`, problem, cure);
}
