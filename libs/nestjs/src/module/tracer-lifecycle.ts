import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Logger, type OnApplicationShutdown, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { Tracer } from '@dacapo/tracer';
import {
  holdSubscribersContext,
  releaseSubscribersContext,
  reviveTracer,
  findRxjsCopy,
} from '@dacapo/tracer/internal';
import { EMPTY } from 'rxjs';
import { visitSingletons } from '../container.js';
import { bindTransports } from '../propagation/bind-transports.js';
import { bindGuards } from '../requests/bind-guards.js';
import { bindInterceptors } from '../requests/bind-interceptors.js';
import type { RequestOptions } from '../request-options.js';
import { DEFAULT_TRACER, getTracerRefToken } from '../tokens.js';
import { slotFor } from '../tracing/tracer-slot.js';
import { warnAboutSharedKeys, warnAboutSharedLoaders, warnAboutUnknownTracers } from './startup-warnings.js';
import { canTrace, isTracerRef, type TracerRef } from '../tracer-ref.js';

export interface LifecycleParts {
  readonly name: string;
  readonly tracer: Tracer;
  readonly ref: TracerRef;
  readonly requests: RequestOptions;
  /** Shut the tracer down with the application. */
  readonly isOwner: boolean;
  /** The module replaces a missing one in an application under test. */
  readonly isFallback: boolean;
  readonly modules: ModulesContainer;
  /** How long both hooks together may delay the application's end. */
  readonly shutdownTimeoutMs: number;
}

/** Bound when this file is loaded, because fake timers would stop it. */
const nowMs = performance.now.bind(performance);

/** Starts and ends a tracer with its application. */
export class TracerLifecycle implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private waitedMs = 0;

  constructor(private readonly parts: LifecycleParts) {
    if (canTrace(parts.tracer)) {
      parts.ref.tracer = parts.tracer;
      if (parts.tracer.enabled) keepSubscribersContext(this);
    }
    parts.ref.requests = parts.requests;
    parts.ref.isFallback = parts.isFallback;
  }

  onModuleInit(): void {
    const { modules, name, ref, isFallback, isOwner, tracer } = this.parts;
    if (isOwner && ref.tracer !== undefined && tracer.enabled) reviveTracer(tracer);
    // The order of modules decides which of both refs a class gets.
    for (const { providers } of isFallback ? [] : modules.values()) {
      const other: unknown = providers.get(getTracerRefToken(name))?.instance;
      if (isTracerRef(other) && other.isFallback) other.requests = ref.requests;
    }
    bindTracerRef(modules, name, ref);
    warnAboutSharedKeys(modules, name);
    warnAboutUnknownTracers(modules);
    if (name !== DEFAULT_TRACER) return;
    bindGuards(modules, { ref, isFallback });
    bindInterceptors(modules);
    if (process.env['NODE_ENV'] !== 'production') warnAboutSharedLoaders(modules);
    bindTransports(modules, this.parts.requests.propagate ?? {});
  }

  /** Sends while the application's connections are still open. */
  async onModuleDestroy(): Promise<void> {
    await this.settle((timeoutMs) => this.parts.tracer.flush(timeoutMs, { untilAway: true }));
  }

  /** Nest 10 calls this before the services' own hooks, 11 and 12 after them. The tracer accepts late spans. */
  async onApplicationShutdown(): Promise<void> {
    const { tracer, ref, isOwner } = this.parts;
    ref.isClosed = true;
    await this.settle((timeoutMs) =>
      isOwner ? tracer.shutdown(timeoutMs) : tracer.flush(timeoutMs, { untilAway: true }),
    );
    releaseSubscribersContext(this);
  }

  private async settle(send: (timeoutMs: number) => Promise<unknown>): Promise<void> {
    if (this.parts.ref.tracer === undefined) return;
    const startedMs = nowMs();
    try {
      await send(Math.max(0, this.parts.shutdownTimeoutMs - this.waitedMs));
    } catch (error) {
      new Logger('Tracer').warn(`Sending the last records failed: ${String(error)}`);
    }
    this.waitedMs += nowMs() - startedMs;
  }
}

/** Puts the ref into instances of `useFactory` and `useValue`, which property injection does not reach. */
function bindTracerRef(modules: ModulesContainer, name: string, ref: TracerRef): void {
  const slot = slotFor(name);
  visitSingletons(modules, (instance) => {
    if (!(slot in instance)) return;
    const slots = instance as Record<symbol, TracerRef | undefined>;
    // One value may serve several applications, one after the other.
    if (slots[slot] === undefined || slots[slot].isClosed) slots[slot] = ref;
  });
}

/**
 * Makes Observables keep the context of their subscriber until `holder` is released. Covers the copies of RxJS that Nest,
 * the started script and the working directory use. Any other copy is wrapped when a recorded method first returns one of
 * its Observables.
 */
function keepSubscribersContext(holder: object): void {
  for (const observable of [EMPTY, ...loadedObservables()]) {
    const copy = findRxjsCopy(observable);
    if (copy !== undefined) holdSubscribersContext(holder, copy);
  }
}

/** One Observable of each copy that is loaded already; this loads none. */
function loadedObservables(): object[] {
  const folder = join(process.cwd(), 'package.json');
  return [process.argv[1] ?? folder, folder].flatMap((file) => {
    try {
      const require = createRequire(file);
      const rxjs = require.cache[require.resolve('rxjs')]?.exports as { EMPTY?: object } | undefined;
      return rxjs?.EMPTY ?? [];
    } catch {
      // It is not installed there.
      return [];
    }
  });
}
