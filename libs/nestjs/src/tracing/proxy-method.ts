import type { Method } from './traced-method.js';

/**
 * A method that is called another way and stays what it was for everyone else: `this`, name, length, own properties and
 * all metadata, whatever decorators stand above or below.
 */
export function proxyMethod(original: Method, handler: Pick<ProxyHandler<Method>, 'apply' | 'get'>): Method {
  return withMetadataOf(original, new Proxy(original, handler));
}

/** Another function with the name, the length and all metadata of a method, for calls that come too often for a proxy. */
export function likeMethod(method: Method, original: Method): Method {
  Object.defineProperty(method, 'name', { value: original.name, configurable: true });
  Object.defineProperty(method, 'length', { value: original.length, configurable: true });
  return withMetadataOf(original, method);
}

function withMetadataOf(original: Method, method: Method): Method {
  for (const key of Reflect.getOwnMetadataKeys(original)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), method);
  }
  return method;
}
