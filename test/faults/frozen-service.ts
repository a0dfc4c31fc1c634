import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LISTEN = `require('net').createServer().listen(0, '127.0.0.1', 1, function () { console.log(this.address().port) })`;

/** A service with a frozen process: the kernel accepts a few connections and buffers some data. */
export class FrozenService {
  private readonly fillers: Socket[] = [];

  private constructor(
    private readonly process: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(): Promise<FrozenService> {
    const child = spawn(process.execPath, ['-e', LISTEN], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    return new FrozenService(child, Number(line));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Fills the kernel's backlog: further connections get no response, as behind a silent firewall. */
  async takeAllConnections(): Promise<void> {
    for (let index = 0; index < 6; index++) {
      const socket = connect(this.port, '127.0.0.1').on('error', () => undefined);
      this.fillers.push(socket);
      await Promise.race([once(socket, 'connect'), new Promise((resolve) => setTimeout(resolve, 100))]);
    }
  }

  stop(): void {
    for (const socket of this.fillers) socket.destroy();
    this.process.kill('SIGKILL');
  }
}
