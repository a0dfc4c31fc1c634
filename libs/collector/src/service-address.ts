import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
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

  /** Whether other machines reach it. */
  get isOpen(): boolean {
    const bound = this.bound();
    return bound !== undefined && !/^(127\.|::1$|::ffff:127\.)/.test(bound.address);
  }

  /** Under which addresses other machines reach it; none when it listens on loopback. */
  get networkUrls(): string[] {
    const bound = this.bound();
    if (bound === undefined || !this.isOpen) return [];
    if (!WILDCARDS.includes(bound.address)) return [this.listeningUrl];
    return Object.values(networkInterfaces()).flatMap((addresses = []) =>
      addresses.flatMap(({ address, family, internal }) =>
        internal || (family === 'IPv6' && (bound.address === '0.0.0.0' || address.startsWith('fe80:')))
          ? []
          : [`http://${family === 'IPv6' ? `[${address}]` : address}:${bound.port}`],
      ),
    );
  }

  private bound(): AddressInfo | undefined {
    const bound = (this.adapterHost.httpAdapter.getHttpServer() as Server).address();
    return bound === null || typeof bound === 'string' ? undefined : bound;
  }

  get listeningUrl(): string {
    const bound = this.bound();
    if (bound === undefined) return 'http://localhost';
    const host = WILDCARDS.includes(bound.address) ? 'localhost' : bound.address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
  }
}
