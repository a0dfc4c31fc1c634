import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ResolvedOptions } from './options.js';

/** They mean all addresses of the machine. A browser cannot open them. */
const WILDCARDS = ['0.0.0.0', '::'];

/** The addresses at which clients reach the service. */
@Injectable()
export class ServiceAddress {
  constructor(
    private readonly options: ResolvedOptions,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** `publicUrl`, or the listening address. Without a slash at its end. */
  get url(): string {
    return this.options.publicUrl ?? this.listeningUrl;
  }

  /** Whether other machines can reach the service. */
  get isOpen(): boolean {
    const bound = this.bound();
    return bound !== undefined && !/^(127\.|::1$|::ffff:127\.)/.test(bound.address);
  }

  /** The addresses for other machines; none when the service listens on loopback. */
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
