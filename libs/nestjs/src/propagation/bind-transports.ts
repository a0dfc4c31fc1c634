import type { ModulesContainer } from '@nestjs/core';
import { visitSingletons } from '../container.js';
import type { PropagateOptions } from '../request-options.js';
import { isClientProxy, propagateThroughClient } from './client-proxy.js';
import { isQueue, propagateThroughQueue } from './jobs.js';

/** Makes the clients and queues of the container send `traceparent`. */
export function bindTransports(
  modules: ModulesContainer,
  { clients = false, queues = false }: PropagateOptions,
): void {
  if (!clients && !queues) return;
  visitSingletons(modules, (instance) => {
    if (clients && isClientProxy(instance)) propagateThroughClient(instance);
    else if (queues && isQueue(instance)) propagateThroughQueue(instance);
  });
}
