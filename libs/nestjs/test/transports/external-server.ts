import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './free-port.js';

export interface ExternalServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts an installed server on a free loopback port, and waits until it accepts connections.
 *
 * @throws Error that says how to install the program, when it is missing
 */
export async function startServer(
  program: string,
  argumentsFor: (port: number) => string[],
): Promise<ExternalServer> {
  const port = await freePort();
  const server = spawn(program, argumentsFor(port), { stdio: 'ignore' });
  const failed = once(server, 'error').then(([cause]) => {
    throw new Error(`${program} cannot be started. Install it (Debian: apt-get install ${program}).`, {
      cause,
    });
  });
  await Promise.race([failed, reachable(port)]);
  return {
    port,
    close: async () => {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
  };
}

async function reachable(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
