import type { Method } from './traced-method.js';

/** Intercepts the calls of a method. `this`, name, length, own properties and metadata stay the same for other decorators. */
export function proxyMethod(original: Method, handler: Pick<ProxyHandler<Method>, 'apply' | 'get'>): Method {
  return copyMetadata(original, new Proxy(original, handler));
}

/** Gives a function the name, length and metadata of the method that it replaces. Its calls cost less than a proxy's. */
export function likeMethod(method: Method, original: Method): Method {
  Object.defineProperty(method, 'name', { value: original.name, configurable: true });
  Object.defineProperty(method, 'length', { value: original.length, configurable: true });
  return copyMetadata(original, method);
}

/** Replaces a method of one object. Not enumerable, so that comparing and printing the object do not show it. */
export function replaceMethod(object: object, name: string, method: (...args: never[]) => unknown): void {
  Object.defineProperty(object, name, { value: method, configurable: true, writable: true });
}

function copyMetadata(original: Method, method: Method): Method {
  for (const key of Reflect.getOwnMetadataKeys(original)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), method);
  }
  return method;
}
