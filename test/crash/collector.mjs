import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const COMMAND = fileURLToPath(new URL('../../libs/cli/bin/dacapo.cjs', import.meta.url));

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

  /** Asks with a key. */
  client(apiKey) {
    const ask = async (method, path, body, type = 'application/json') => {
      const answer = await fetch(this.url + path, {
        method,
        headers: { 'api-key': apiKey, ...(body !== undefined && { 'content-type': type }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
    };
    return {
      ask,
      ingest: async (spans) => {
        const lines = spans.map((span) => JSON.stringify({ span })).join('\n');
        const { status, body } = await ask('POST', '/api/v1/ingest', lines, 'application/x-ndjson');
        if (status !== 200) throw new Error(`ingest answered ${status} ${JSON.stringify(body)}`);
      },
      countSpans: async (key) => {
        const { body } = await ask('GET', '/api/v1/trace-function-keys');
        return body.items.find((one) => one.trace_function_key === key)?.span_count ?? 0;
      },
    };
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
