import type { Method } from './traced-method.js';

const LIFECYCLE_HOOKS = new Set<string>([
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

interface OwnMethod {
  readonly name: string;
  readonly method: Method;
  readonly descriptor: PropertyDescriptor;
}

/**
 * The methods that a class defines itself, by name: no constructor, no accessors, no lifecycle hooks of Nest, nothing
 * inherited, static or private.
 */
export function ownMethods(prototype: object): OwnMethod[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, descriptor]) => {
    const method: unknown = descriptor.value;
    if (name === 'constructor' || LIFECYCLE_HOOKS.has(name) || typeof method !== 'function') return [];
    return [{ name, method: method as Method, descriptor }];
  });
}
