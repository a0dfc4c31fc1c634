import type { Page, TestRunRecord } from '@dacapo/protocol';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DacapoServe } from './dacapo-serve.js';
import { ROOT } from './program.js';

/**
 * Starts a program that replays calls and kills it as soon as the service has received this many items of its run.
 *
 * @returns the run
 */
export async function killAfter(
  items: number,
  path: string,
  service: DacapoServe,
  env: Readonly<Record<string, string>> = {},
): Promise<TestRunRecord> {
  const newest = async (): Promise<TestRunRecord | undefined> =>
    (await service.get<Page<TestRunRecord>>('/test-runs?limit=1')).items[0];
  const before = await newest();
  const child = spawn(process.execPath, [join(ROOT, path)], {
    env: { ...process.env, ...service.env, ...env },
    stdio: 'ignore',
  });
  let run: TestRunRecord | undefined;
  while (run === undefined || run.id === before?.id || run.totals.items < items) {
    if (child.exitCode !== null) throw new Error('the program finished before it was killed');
    await sleep(20);
    run = await newest();
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  return service.get<TestRunRecord>(`/test-runs/${run.id}`);
}
