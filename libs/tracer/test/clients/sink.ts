import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A port that answers nothing, and counts who connects. */
export interface Sink {
  readonly url: string;
  connections: number;
  close(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sink.connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const sink: Sink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: 0,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
  return sink;
}
