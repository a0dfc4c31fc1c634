import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeText } from '../byte-string.js';
import { HttpDelivery } from './http-delivery.js';

/** As a developer's machine without the service. */
const NOBODY_LISTENS = 'http://127.0.0.1:1';

describe('Under the fake timers of an application’s tests, delivery', () => {
  let spoolDir: string;
  let delivery: HttpDelivery;

  beforeEach(() => {
    jest.useFakeTimers();
    spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-timers-'));
    const options = { spoolDir, spool: 'always' } as const;
    const settings = { serviceUrl: NOBODY_LISTENS, apiKey: 'key', timeoutMs: 5000, options };
    delivery = new HttpDelivery({ ...settings, report: () => undefined });
    delivery.add(encodeText('{"span":{"id":"0000000000000001"}}'));
  });

  afterEach(() => {
    jest.useRealTimers();
    rmSync(spoolDir, { recursive: true });
  });

  it('adds no timer of its own to those that a test runs', () => {
    expect(jest.getTimerCount()).toBe(0);
  });

  it('completes a flush and a shutdown', async () => {
    expect(await delivery.flush(10)).toBe(false);
    await delivery.shutdown(10);
    expect(delivery.stats()).toMatchObject({ waiting: 1, spooled: 1 });
  });
});
