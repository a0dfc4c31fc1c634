import { Logger, type OnApplicationShutdown, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { Tracer } from '@dacapo/tracer';
import { releaseSubscribersContext, reviveTracer } from '@dacapo/tracer/internal';
import { bindTransports } from '../propagation/bind-transports.js';
import { bindGuards } from '../requests/bind-guards.js';
import { bindInterceptors } from '../requests/bind-interceptors.js';
import type { RequestOptions } from '../requests/request-options.js';
import { DEFAULT_TRACER, getTracerRefToken } from '../tokens.js';
import { warnOfSharedKeys } from '../tracing/shared-keys.js';
import { warnOfUnknownTracers } from '../tracing/unknown-tracers.js';
import { bindTracerRef } from './bind-tracer-ref.js';
import { keepSubscribersContext } from './keep-subscribers-context.js';
import { canTrace, isTracerRef, type TracerRef } from './tracer-ref.js';
import { warnOfSharedLoaders } from './warn-of-shared-loaders.js';

export interface LifecycleParts {
  readonly name: string;
  readonly tracer: Tracer;
  readonly ref: TracerRef;
  readonly requests: RequestOptions;
  /** Shut the tracer down with the application. */
  readonly isOwner: boolean;
  /** The module stands in where an application under test has none of its own. */
  readonly isFallback: boolean;
  readonly modules: ModulesContainer;
  /** How long both hooks together may hold up the application's end. */
  readonly shutdownTimeoutMs: number;
}

/** As it was when this file was loaded: the fake timers of a test would stop it. */
const nowMs = performance.now.bind(performance);

/** Ties a tracer to the life of its application. */
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
    // A class may be given either ref: which one depends on the order of modules.
    for (const { providers } of isFallback ? [] : modules.values()) {
      const other: unknown = providers.get(getTracerRefToken(name))?.instance;
      if (isTracerRef(other) && other.isFallback) other.requests = ref.requests;
    }
    bindTracerRef(modules, name, ref);
    warnOfSharedKeys(modules, name);
    warnOfUnknownTracers(modules);
    if (name !== DEFAULT_TRACER) return;
    bindGuards(modules, { ref, isFallback });
    bindInterceptors(modules);
    if (process.env['NODE_ENV'] !== 'production') warnOfSharedLoaders(modules);
    bindTransports(modules, this.parts.requests.propagate ?? {});
  }

  /** Connections are still open here: what was recorded so far has the best chance. */
  async onModuleDestroy(): Promise<void> {
    await this.settle((timeoutMs) => this.parts.tracer.flush(timeoutMs, { untilAway: true }));
  }

  /** Nest 10 comes here before the services' own hooks, 11 and 12 after them: the tracer takes late spans. */
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
