import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../libs/cli/bin/dacapo.cjs', import.meta.url));

/** `dacapo serve` as it is built, in a process that can be killed. */
export class Collector {
  static async start(dataDir) {
    const args = [COMMAND, 'serve', '--json', '--port', '0', '--data-dir', dataDir];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      return Object.assign(new Collector(), { child, ...JSON.parse(line) });
    }
    throw new Error('The collector did not start.');
  }

  /** @returns what it ended with: nothing but the signal, if it lived until now */
  async kill(signal = 'SIGKILL') {
    const ended = this.child.exitCode ?? this.child.signalCode;
    if (ended !== null) throw new Error(`The collector had ended by itself: ${ended}`);
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    await exit;
  }
}
