import type { ModulesContainer } from '@nestjs/core';
import { visitSingletons } from '../container.js';
import { isClientProxy, propagateThroughClient } from './client-proxy.js';
import { isQueue, propagateThroughQueue } from './jobs.js';

/** Which transports send `traceparent` automatically. */
export interface PropagateOptions {
  /**
   * Messages of Nest's `ClientProxy` that are objects. In the receiving service, `TracerInterceptor` removes it from the data.
   * Default: false.
   */
  clients?: boolean | undefined;
  /** Jobs of BullMQ, in the job options. Default: false. */
  queues?: boolean | undefined;
}

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
