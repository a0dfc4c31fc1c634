import type { Page, TestRunItemSummary, TestRunRecord } from '@dacapo/protocol';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { runProgram } from './processes/program.js';

jest.setTimeout(60_000);

const PROGRAM = 'test/replay-survives/replay-slowly.mjs';

describe('a replay whose process is killed', () => {
  let service: DacapoServe;

  beforeAll(async () => {
    service = await startDacapoServe();
  });

  afterAll(() => service.close());

  /** Kills the process as soon as the service has heard of so many items. @returns the run */
  async function killAfter(items: number): Promise<TestRunRecord> {
    const child = spawn(process.execPath, [join(__dirname, '..', PROGRAM)], {
      env: { ...process.env, ...service.env },
      stdio: 'ignore',
    });
    let run: TestRunRecord | undefined;
    while ((run?.totals.items ?? 0) < items) {
      if (child.exitCode !== null) throw new Error('it was done before it was killed');
      await sleep(20);
      const { items: runs } = await service.get<Page<TestRunRecord>>('/test-runs?limit=1');
      run = runs[0];
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    return service.get<TestRunRecord>(`/test-runs/${run!.id}`);
  }

  it('is resumed: each item counts once, and none is missing', async () => {
    const run = await killAfter(5);
    expect(run.status).toBe('running');
    expect(run.totals.items).toBeLessThan(60);
    const resumed = await runProgram(PROGRAM, { ...service.env, RESUME: run.id });
    expect(resumed).toMatchObject({
      testRunId: run.id,
      status: 'finished',
      totals: { items: 60, same: 60, missing: 0 },
    });
    const after = await service.get<TestRunRecord>(`/test-runs/${run.id}`);
    expect(after).toMatchObject({ status: 'finished', totals: { items: 60, same: 60 } });
    const { items } = await service.get<Page<TestRunItemSummary>>(`/test-runs/${run.id}/items?limit=200`);
    expect(items.map(({ item_no }) => item_no).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, n) => n),
    );
  });
});
