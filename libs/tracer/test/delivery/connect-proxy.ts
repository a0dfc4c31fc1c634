import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy on loopback: CONNECT for https, requests with a whole address for http. */
export class ConnectProxy {
  /** What it was asked for. */
  readonly requested: string[] = [];
  /** `user:password` that it wants. */
  credentials: string | undefined;
  behaviour: 'works' | 'hangs' | 'dies' = 'works';
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ConnectProxy> {
    const server = createServer((incoming, response) => {
      if (!proxy.lets(incoming)) {
        response.writeHead(407).end();
        return;
      }
      const { method, url, headers } = incoming;
      const passed = request(url ?? '', { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.writeHead(502).end());
      incoming.pipe(passed);
    });
    const proxy = new ConnectProxy(server);
    server.on('connection', (socket) => {
      proxy.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => proxy.sockets.delete(socket));
    });
    server.on('connect', (incoming: IncomingMessage, client: Socket) => {
      if (!proxy.lets(incoming)) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      if (proxy.behaviour === 'hangs') return;
      if (proxy.behaviour === 'dies') {
        client.destroy();
        return;
      }
      const [host, port] = (incoming.url ?? '').split(':');
      const upstream = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** Its address, without credentials. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private lets({ method = '', url = '', headers }: IncomingMessage): boolean {
    this.requested.push(`${method} ${url}`);
    const wanted = this.credentials && `Basic ${Buffer.from(this.credentials).toString('base64')}`;
    return wanted === undefined || headers['proxy-authorization'] === wanted;
  }
}
