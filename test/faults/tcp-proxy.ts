import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** One connection through the proxy. */
interface Link {
  readonly client: Socket;
  readonly service: Socket;
}

/** What becomes of one request. Each method gets a chunk and says whether to pass it on. */
export interface TcpFault {
  /** @param bytes of the request so far, this chunk included */
  up(link: Link, bytes: number): boolean;
  down(link: Link): boolean;
}

const pass = (): boolean => true;

export const sound: TcpFault = { up: pass, down: pass };

/** Resets both sides once the request has so many bytes. */
export function resetAfter(mostBytes: number): TcpFault {
  const up = ({ client, service }: Link, bytes: number): boolean => {
    if (bytes <= mostBytes) return true;
    client.resetAndDestroy();
    service.resetAndDestroy();
    return false;
  };
  return { up, down: pass };
}

/** Lets the service do its work, and resets the connection in place of the answer. */
export const losingTheAnswer: TcpFault = {
  up: pass,
  down: ({ client, service }) => {
    client.resetAndDestroy();
    service.destroy();
    return false;
  },
};

/** Stands in front of a service, byte by byte, and goes wrong: each request meets the next of `faults`. */
export class TcpProxy {
  faults: readonly TcpFault[] = [sound];
  /** Port of the service; it may change. Absent: each connection is reset. */
  target: number | undefined;
  /** Requests so far. */
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

  /** Resets the connections that are open, and those that come until `target` is set again. */
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
