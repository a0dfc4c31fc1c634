import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** One connection through the proxy. */
interface Link {
  readonly client: Socket;
  readonly service: Socket;
}

/** Handles one request. Each method gets a chunk and returns whether to forward it. */
export interface TcpFault {
  /** @param bytes of the request so far, including this chunk */
  up(link: Link, bytes: number): boolean;
  down(link: Link): boolean;
}

const pass = (): boolean => true;

export const sound: TcpFault = { up: pass, down: pass };

/** Resets both sides after this many bytes of the request. */
export function resetAfter(mostBytes: number): TcpFault {
  const up = ({ client, service }: Link, bytes: number): boolean => {
    if (bytes <= mostBytes) return true;
    client.resetAndDestroy();
    service.resetAndDestroy();
    return false;
  };
  return { up, down: pass };
}

/** Lets the service handle the request, and resets the connection instead of responding. */
export const losingTheAnswer: TcpFault = {
  up: pass,
  down: ({ client, service }) => {
    client.resetAndDestroy();
    service.destroy();
    return false;
  },
};

/** A byte-level proxy for a service that applies `faults` to requests in rotation. */
export class TcpProxy {
  faults: readonly TcpFault[] = [sound];
  /** Port of the service; it may change. Absent: each connection is reset. */
  target: number | undefined;
  /** Number of requests. */
  requests = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (client) => {
      this.accept(client);
    });
  }

  static async start(): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resets open connections, and new ones until `target` is set again. */
  cut(): void {
    this.target = undefined;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  private accept(client: Socket): void {
    this.keep(client);
    if (this.target === undefined) {
      client.resetAndDestroy();
      return;
    }
    const service = connect(this.target, '127.0.0.1');
    this.keep(service);
    this.join({ client, service });
  }

  private join(link: Link): void {
    const { client, service } = link;
    let fault = sound;
    let bytes = 0;
    client.on('data', (chunk) => {
      if (bytes === 0) fault = this.faults[this.requests++ % this.faults.length]!;
      bytes += chunk.length;
      if (fault.up(link, bytes)) service.write(chunk);
    });
    service.on('data', (chunk) => {
      bytes = 0;
      if (fault.down(link)) client.write(chunk);
    });
    client.on('close', () => service.destroy());
    service.on('close', () => client.resetAndDestroy());
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
