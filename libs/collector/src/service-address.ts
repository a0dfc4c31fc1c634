import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { ResolvedOptions } from './options.js';

/** Addresses that stand for every address of the machine; a browser cannot open them. */
const WILDCARDS = ['0.0.0.0', '::'];

/** Under which address browsers reach the service. */
@Injectable()
export class ServiceAddress {
  constructor(
    private readonly options: ResolvedOptions,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** `publicUrl`, or else where the server listens; without a slash at its end. */
  get url(): string {
    return this.options.publicUrl ?? this.listeningUrl;
  }

  get listeningUrl(): string {
    const bound = (this.adapterHost.httpAdapter.getHttpServer() as Server).address();
    if (bound === null || typeof bound === 'string') return 'http://localhost';
    const host = WILDCARDS.includes(bound.address) ? 'localhost' : bound.address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
  }
}
