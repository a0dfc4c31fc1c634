import { lookup as systemLookup } from 'node:dns/promises';
import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { refusalReason } from './address-policy.js';
import { PageError } from './page-error.js';

/** Resolves the addresses of a host. */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpClientOptions {
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly lookup?: Lookup;
}

/**
 * Sends single requests without redirects. Checks addresses when a socket connects: a second lookup of the name could return
 * another address.
 */
export class HttpClient {
  private readonly lookup: Lookup;
  private readonly agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };

  constructor(private readonly options: HttpClientOptions) {
    this.lookup = options.lookup ?? ((host) => systemLookup(host, { all: true }));
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /**
   * @param mostBytes limit for the decompressed body
   * @throws PageError `skipped` when the address is refused or the body too large, `failed` when the network fails
   */
  async get(
    url: URL,
    headers: Readonly<Record<string, string>>,
    mostBytes: number,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) this.check(host);
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const response = await this.send(url, headers, AbortSignal.any([signal, timeout]));
      const body = await readBody(response, mostBytes);
      return { status: response.statusCode ?? 0, headers: response.headers, body };
    } catch (cause) {
      if (cause instanceof PageError || signal.aborted) throw cause;
      if (timeout.aborted) throw new PageError('failed', `no answer in ${this.options.timeoutMs / 1000} s`);
      const { code, message } = cause as NodeJS.ErrnoException;
      throw new PageError('failed', code ?? message, { cause });
    }
  }

  private send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:';
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      agent: this.agents[isSecure ? 'https:' : 'http:'],
      headers: { ...headers, 'accept-encoding': 'gzip, br' },
      lookup: this.checkedLookup,
      signal,
    });
    return new Promise((resolve, reject) => {
      request.once('response', resolve);
      request.on('error', reject);
      request.end();
    });
  }

  private readonly checkedLookup: LookupFunction = (host, { all }, callback) => {
    void this.resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), '');
      },
    );
  };

  private async resolve(host: string): ReturnType<Lookup> {
    const addresses = await this.lookup(host);
    for (const { address } of addresses) this.check(address);
    if (addresses.length === 0) throw new PageError('failed', `${host} has no address`);
    return addresses;
  }

  private check(address: string): void {
    const refusal = refusalReason(address, this.options.allowPrivate);
    if (refusal === undefined) return;
    const cure = refusal === 'private' ? '; --allow-private allows it' : '';
    throw new PageError('skipped', `${address} is a ${refusal} address${cure}`);
  }
}

async function readBody(response: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of decompress(response)) {
      bytes += (chunk as Buffer).length;
      if (bytes > mostBytes) throw new PageError('skipped', `larger than ${mebibytes(mostBytes)}`);
      chunks.push(chunk as Buffer);
    }
  } finally {
    if (!response.complete) response.destroy();
  }
  return Buffer.concat(chunks);
}

function decompress(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const decoder = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[encoding];
  if (decoder === undefined) {
    if (encoding === 'identity' || encoding === '') return response;
    throw new PageError('skipped', `Content-Encoding ${encoding} is not supported`);
  }
  // A 304 or an empty body may name an encoding, but has nothing to decompress.
  if (response.headers['content-length'] === '0' || response.statusCode === 304) return response;
  const stream = decoder();
  response.once('error', (error) => stream.destroy(error));
  return response.pipe(stream);
}

function mebibytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1024 / 1024))} MiB`;
}
