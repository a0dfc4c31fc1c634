import type { StartCollectorOptions } from '@dacapo/collector';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** The built collector in a process of its own, which the test may kill. */
export interface CollectorProcess {
  child: ChildProcess;
  url: string;
  apiKey?: string;
}

/**
 * @param where the data directory, or the address of a database
 * @param nodeOptions of the process, such as `--max-old-space-size=128`
 * @param stderr where its log goes
 * @param options of `startCollector`, beside port and data
 */
export async function spawnCollector(
  where: string,
  nodeOptions: readonly string[] = [],
  stderr: 'inherit' | 'pipe' | 'ignore' = 'inherit',
  options: StartCollectorOptions = {},
): Promise<CollectorProcess> {
  const args = [...nodeOptions, join(__dirname, 'collector-process.cjs'), where, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', stderr] });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout! })) {
    return { child, ...(JSON.parse(line) as { url: string; apiKey?: string }) };
  }
  throw new Error('The built collector did not start. Run `npm run build`.');
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
