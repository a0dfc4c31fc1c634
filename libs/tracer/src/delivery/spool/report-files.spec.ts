import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TracerError } from '../../errors.js';
import { HttpDelivery } from '../http-delivery.js';
import { ReportFiles } from './report-files.js';
import { listSpoolFolders } from './spool-folders.js';

const SERVICE_URL = 'http://127.0.0.1:9';
const DAY_MS = 24 * 60 * 60_000;

describe('Files with reports of a test run', () => {
  let spoolDir: string;

  beforeEach(() => {
    spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-report-files-'));
  });

  afterEach(() => {
    rmSync(spoolDir, { recursive: true });
  });

  const createFiles = (testRunId: string, apiKey = 'key'): ReportFiles =>
    new ReportFiles(testRunId, { serviceUrl: SERVICE_URL, apiKey, spoolDir });

  function write(testRunId: string, daysAgo = 0, apiKey?: string): ReportFiles {
    const files = createFiles(testRunId, apiKey);
    files.ensure();
    writeFileSync(files.path, '{"item_no":0}\n{"item_no":1}\n');
    const then = new Date(Date.now() - daysAgo * DAY_MS);
    utimesSync(files.path, then, then);
    return files;
  }

  it('are adopted after their run has ended, only by a run with the same id', async () => {
    const files = write('run/1');
    expect(await createFiles('run/1').takeOver()).toEqual([]);
    files.leave();
    expect(await createFiles('run/2').takeOver()).toEqual([]);
    const next = createFiles('run/1');
    expect(await next.takeOver()).toHaveLength(1);
    next.leave();
    expect(await listSpoolFolders(spoolDir)).toMatchObject([{ files: 1, left: 1, testRunIds: ['run/1'] }]);
  });

  it('of several processes are all adopted, each by one', async () => {
    for (let n = 0; n < 3; n++) write('run').leave();
    const taken = await Promise.all([createFiles('run').takeOver(), createFiles('run').takeOver()]);
    expect(new Set(taken.flat()).size).toBe(3);
    expect(taken.flat()).toHaveLength(3);
  });

  it('leave no folder behind when none is written', () => {
    const files = createFiles('run');
    files.ensure();
    files.leave();
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it.each(['key', 'another key'])(
    'are removed after 30 days, and counted as dropped: under %j',
    async (apiKey) => {
      write('old', 31, apiKey).leave();
      write('young', 29, apiKey).leave();
      const reported = new Promise<TracerError>((resolve) => {
        delivery = new HttpDelivery({
          serviceUrl: SERVICE_URL,
          apiKey: 'key',
          timeoutMs: 1000,
          options: { spoolDir },
          report: (error) => {
            if (error.code === 'TRACER_RECORDS_DROPPED') resolve(error);
          },
        });
      });
      expect(await reported).toMatchObject({ reason: 'spool_expired', count: 2 });
      expect(delivery?.stats()).toMatchObject({ recorded: 2, dropped: { spool_expired: 2 } });
      await delivery?.shutdown();
      expect(await listSpoolFolders(spoolDir)).toMatchObject([{ files: 1, testRunIds: ['young'] }]);
    },
  );
  let delivery: HttpDelivery | undefined;
});
