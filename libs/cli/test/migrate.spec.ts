import { startCollector } from '@dacapo/collector';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const root = mkdtempSync(join(tmpdir(), 'dacapo-cli-migrate-'));

afterAll(() => {
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

async function migrate(...words: string[]): Promise<{ exitCode: number; out: string; err: string }> {
  return migrateWith({}, ...words);
}

async function migrateWith(
  env: CapturedIo['env'],
  ...words: string[]
): Promise<{ exitCode: number; out: string; err: string }> {
  const io = new CapturedIo(env);
  const exitCode = await run(['migrate-storage', ...words], io);
  return { exitCode, out: io.out, err: io.err };
}

describe('dacapo migrate-storage', () => {
  it('copies a data directory, says what it copied, and refuses to copy it there again', async () => {
    const [from, to] = [join(root, 'from'), join(root, 'to')];
    const collector = await startCollector({ port: 0, dataDir: from, logger: SILENT });
    expect((await migrate('--from', from, '--to', to)).err).toContain('Another collector uses');
    await collector.close();
    const { exitCode, out } = await migrate('--from', from, '--to', to, '--without-spans');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/Counts and checksums match\.\nacc_\w+ +0 traces +0 spans +\d+ other rows\n/);
    const copy = await startCollector({ port: 0, dataDir: to, logger: SILENT });
    await copy.close();
    expect(copy.apiKey).toBeUndefined();
    expect((await migrate('--from', from, '--to', to, '--without-spans')).err).toContain(
      'is not empty, so nothing was copied',
    );
  });

  it('refuses a source without spans, which may be in a database that nobody named', async () => {
    const [from, to] = [join(root, 'no-spans'), join(root, 'no-copy')];
    const collector = await startCollector({ port: 0, dataDir: from, logger: SILENT });
    await collector.close();
    const { exitCode, err } = await migrate('--from', from, '--to', to);
    expect(exitCode).toBe(1);
    expect(err).toContain('If they are in ClickHouse, name it: --from-spans.');
    const forgotten = await migrateWith({ DACAPO_SPANS: 'clickhouse://db/x' }, '--from', from, '--to', to);
    expect(forgotten.exitCode).toBe(2);
    expect(forgotten.err).toContain('DACAPO_SPANS is set, but --from-spans is not.');
  });

  it('shows no password in its errors', async () => {
    const secret = 'zq7secret';
    const to = `postgres://dacapo:${secret}@127.0.0.1:1/dacapo`;
    const missing = await migrate('--from', join(root, 'nowhere'), '--to', to);
    const unreachable = await migrate('--from', join(root, 'from'), '--to', to);
    const wrong = await migrate('--from', `mysql://dacapo:${secret}@db/x`, '--to', to);
    for (const { exitCode, out, err } of [missing, unreachable, wrong]) {
      expect(exitCode).toBe(1);
      expect(out + err).not.toContain(secret);
    }
    expect(missing.err).toContain('does not exist. Pass the data directory');
    expect(unreachable.err).toContain('Check that PostgreSQL runs');
    expect(wrong.err).toContain('must be the address of a PostgreSQL database');
  });
});
