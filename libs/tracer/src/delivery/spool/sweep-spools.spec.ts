import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import { resolveDeliveryOptions } from '../../options/delivery-options.js';
import { sweepSpools } from './sweep-spools.js';

const SERVICE = 'http://127.0.0.1:4100';

describe('Files that wait under other keys', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'dacapo-sweep-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  /** A file of a process that ended, under a key. */
  const leave = (folder: string): void => {
    const own = join(root, folder, newSpanId());
    mkdirSync(own, { recursive: true });
    writeFileSync(join(root, folder, 'about.json'), JSON.stringify({ service_url: SERVICE }));
    writeFileSync(join(own, `${newTraceId()}.1.spool`), '');
    // A folder that no process touched for an hour is that of an ended one.
    const hourAgo = Date.now() / 1000 - 60 * 60;
    utimesSync(own, hourAgo, hourAgo);
  };

  /** How many errors a process with a key of its own reports. */
  const countReports = async (): Promise<number> => {
    let reports = 0;
    await sweepSpools(root, [join(root, 'f'.repeat(32))], {
      serviceUrl: SERVICE,
      options: resolveDeliveryOptions({}, 1000),
      report: () => {
        reports++;
      },
      onExpired: () => undefined,
    });
    return reports;
  };

  it('are reported by one process a day', async () => {
    leave('a'.repeat(32));
    expect(await countReports()).toBe(1);
    expect(await countReports()).toBe(0);
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(join(root, 'reported-keys'), yesterday, yesterday);
    expect(await countReports()).toBe(1);
  });

  it('are reported again when those of another key join them', async () => {
    leave('a'.repeat(32));
    expect(await countReports()).toBe(1);
    leave('b'.repeat(32));
    expect(await countReports()).toBe(1);
    expect(await countReports()).toBe(0);
  });
});
