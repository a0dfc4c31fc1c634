import { MisplacedDecoratorError } from '../errors.js';
import { DEFAULT_TRACER } from '../tokens.js';
import { type Method, tracedMethodOf } from './traced-method.js';
import { checkTracedOptions, type TracedOptions } from './traced-options.js';
import { openSlot } from './tracer-slot.js';
import { wrapMethod } from './wrap-method.js';

/**
 * Records the calls of a method: each becomes a span of the application's tracer, nested by call stack.
 *
 * The method stays what it was for callers, for Nest and for other decorators, above or below. Without a `TracerModule`
 * it simply runs.
 *
 * @param key groups the calls, and names them for replay; default: `Class.method`
 * @throws InvalidModuleOptionError, MisplacedDecoratorError when the class is defined
 */
export function Traced(key?: string, options?: TracedOptions): MethodDecorator;
export function Traced(options: TracedOptions): MethodDecorator;
export function Traced(keyOrOptions?: string | TracedOptions, more: TracedOptions = {}): MethodDecorator {
  const [key, options] = typeof keyOrOptions === 'object' ? [undefined, keyOrOptions] : [keyOrOptions, more];
  checkTracedOptions(key, options);
  return (target, propertyKey, descriptor: PropertyDescriptor | undefined) => {
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
  };
}
