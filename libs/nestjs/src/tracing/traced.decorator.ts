import { MisplacedDecoratorError } from '../errors.js';
import { DEFAULT_TRACER } from '../tokens.js';
import { isUntraced } from './no-trace.decorator.js';
import { isConversion, ownMethods } from './own-methods.js';
import { findTracedMethod, type Method, readTracedMethod } from './traced-method.js';
import { checkTracedOptions, type TracedOptions } from './traced-options.js';
import { openSlot } from './tracer-slot.js';
import { wrapMethod } from './wrap-method.js';

/**
 * Records the calls of a method, or of all methods of a class: each becomes a span of the application's tracer, nested by
 * call stack.
 *
 * The method stays the same for callers, for Nest and for other decorators. Without a `TracerModule` it runs unrecorded.
 *
 * - On a class, records the methods that the class defines itself. Accessors, static methods, lifecycle hooks, conversions
 *   (`toJSON`, `toString`, `valueOf`) and methods with their own `@Traced` or `@NoTrace` are skipped.
 * - On a property that holds a function, such as a `@Saga()`, records the calls on instances that the container creates.
 *
 * @param key groups the calls and names them for replay; on a class, the key is `key.method`. Default: `Class.method`
 * @throws InvalidModuleOptionError when an option is invalid
 * @throws MisplacedDecoratorError when the class is defined; for a property, when the instance is created
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
  const className = getClassName(target);
  const place = `${className}.${String(propertyKey)}`;
  const method: unknown = descriptor.value;
  if (typeof method !== 'function')
    throw misplaced(place, 'is on an accessor', 'Move the code to a method, and call it in the accessor.');
  if (findTracedMethod(target, propertyKey) !== undefined) return;
  const wrapping = { key: key ?? place, methodName: propertyKey, className, options };
  descriptor.value = wrapMethod(method as Method, wrapping, target);
  if (typeof target !== 'function') openSlot(target, options.tracer ?? DEFAULT_TRACER);
}

/** Wraps the function when the container injects the tracer: the property has its function by then, however fields are compiled. */
function traceProperty(
  target: object,
  propertyKey: string | symbol,
  key: string | undefined,
  options: TracedOptions,
): void {
  const className = getClassName(target);
  const place = `${className}.${String(propertyKey)}`;
  if (typeof target === 'function')
    throw misplaced(place, 'is on a static property', 'Write it as a static method.');
  openSlot(target, options.tracer ?? DEFAULT_TRACER, (instance) => {
    const properties = instance as Record<string | symbol, unknown>;
    const held = properties[propertyKey];
    if (typeof held !== 'function')
      throw misplaced(place, `is on a property that holds ${typeof held}`, 'Use it on a method.');
    if (readTracedMethod(held) !== undefined) return;
    const wrapping = { key: key ?? place, methodName: propertyKey, className, options };
    Reflect.set(properties, propertyKey, wrapMethod(held as Method, wrapping));
  });
}

function getClassName(target: object): string {
  return typeof target === 'function' ? target.name : target.constructor.name;
}

function misplaced(place: string, problem: string, cure: string): MisplacedDecoratorError {
  return new MisplacedDecoratorError(`Traced on ${place}`, problem, cure);
}
