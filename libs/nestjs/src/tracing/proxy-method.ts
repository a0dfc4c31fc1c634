import type { Method } from './traced-method.js';

/**
 * A method that is called another way and stays what it was for everyone else: `this`, name, length, own properties and
 * all metadata, whatever decorators stand above or below.
 */
export function proxyMethod(original: Method, handler: Pick<ProxyHandler<Method>, 'apply' | 'get'>): Method {
  const proxy = new Proxy(original, handler);
  for (const key of Reflect.getOwnMetadataKeys(original)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), proxy);
  }
  return proxy;
}
