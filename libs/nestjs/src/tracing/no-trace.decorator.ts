import { runWithoutTracing } from '@dacapo/tracer';
import { MisplacedDecoratorError } from '../errors.js';
import { ownMethods } from './own-methods.js';
import { proxyMethod } from './proxy-method.js';
import type { Method } from './traced-method.js';

const UNTRACED = Symbol.for('@dacapo/nestjs/untraced');

/**
 * Records nothing inside a method, or inside any method of a class: for health checks, or for one method of a `@Traced`
 * class. On a handler, nothing of its request or message is recorded, including calls of guards, interceptors and pipes.
 *
 * @throws MisplacedDecoratorError when the class is defined
 */
export function NoTrace(): ClassDecorator & MethodDecorator {
  return (target: object, propertyKey?: string | symbol, descriptor?: PropertyDescriptor) => {
    if (propertyKey === undefined) {
      const { prototype } = target as { prototype: object };
      for (const { name, method, descriptor: own } of ownMethods(prototype)) {
        Object.defineProperty(prototype, name, { ...own, value: silence(method) });
      }
      return;
    }
    if (descriptor === undefined || typeof descriptor.value !== 'function') {
      throw new MisplacedDecoratorError(
        `NoTrace on ${String(propertyKey)}`,
        'is not on a method',
        'Use it on a method or a class.',
      );
    }
    descriptor.value = silence(descriptor.value as Method);
  };
}

/** Whether a method has `@NoTrace`. */
export function isUntraced(method: (...args: never[]) => unknown): boolean {
  return (method as { [UNTRACED]?: boolean })[UNTRACED] === true;
}

function silence(original: Method): Method {
  return proxyMethod(original, {
    apply: (target, self: unknown, args: unknown[]) =>
      runWithoutTracing<unknown>(() => Reflect.apply(target, self, args)),
    get: (target, property, receiver) =>
      property === UNTRACED ? true : (Reflect.get(target, property, receiver) as unknown),
  });
}
