import type { ModulesContainer } from '@nestjs/core';
import { isClientProxy, propagateThroughClient } from './client-proxy.js';
import { isQueue, propagateThroughQueue } from './jobs.js';

/** What sends `traceparent` without code of the application's. */
export interface PropagateOptions {
  /**
   * Messages of Nest's `ClientProxy` that are objects, to services whose handlers `TracerInterceptor` reaches, which takes it
   * out of the data again. Default: false.
   */
  clients?: boolean | undefined;
  /** Jobs of BullMQ, in their options. Default: false. */
  queues?: boolean | undefined;
}

/** Finds the clients and queues that the container holds. */
export function bindTransports(
  modules: ModulesContainer,
  { clients = false, queues = false }: PropagateOptions,
): void {
  if (!clients && !queues) return;
  for (const { providers } of modules.values()) {
    for (const wrapper of providers.values()) {
      try {
        if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) continue;
        const instance: unknown = wrapper.instance;
        if (typeof instance !== 'object' || instance === null) continue;
        if (clients && isClientProxy(instance)) propagateThroughClient(instance);
        else if (queues && isQueue(instance)) propagateThroughQueue(instance);
      } catch {
        // A proxy that answers only inside a request.
      }
    }
  }
}
