import { startCollector } from '@dacapo/collector';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const root = mkdtempSync(join(tmpdir(), 'dacapo-cli-data-'));
const dataDir = join(root, 'data');
const backup = join(root, 'backup.db');

afterAll(() => {
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

async function dacapo(...words: string[]): Promise<{ exitCode: number; out: string; err: string }> {
  const io = new CapturedIo();
  const exitCode = await run(words, io);
  return { exitCode, out: io.out, err: io.err };
}

describe('dacapo backup, restore and check', () => {
  it('copy the database of a running service, put it in another place, and find it sound', async () => {
    const collector = await startCollector({ port: 0, dataDir, logger: SILENT });
    try {
      expect(await dacapo('backup', backup, '--data-dir', dataDir)).toMatchObject({ exitCode: 0 });
      // Most of it is in the log still.
      expect((await dacapo('check', '--data-dir', dataDir)).out).toMatch(/^Sound: .* 0\.[1-9] MiB, 0 spans,/);
      const inUse = await dacapo('restore', backup, '--data-dir', dataDir, '--force');
      expect(inUse).toMatchObject({ exitCode: 1 });
      expect(inUse.err).toContain('Another collector uses the data directory');
    } finally {
      await collector.close();
    }
    expect(statSync(backup).mode & 0o777).toBe(0o600);

    const elsewhere = join(root, 'elsewhere');
    expect(await dacapo('restore', backup, '--data-dir', elsewhere)).toMatchObject({ exitCode: 0 });
    const restored = await startCollector({ port: 0, dataDir: elsewhere, logger: SILENT });
    await restored.close();
    // It has the account already.
    expect(restored.apiKey).toBeUndefined();
  });

  it('overwrite nothing by default', async () => {
    const before = readFileSync(backup);
    expect((await dacapo('backup', backup, '--data-dir', dataDir)).err).toContain(
      'exists. Choose another name',
    );
    expect((await dacapo('restore', backup, '--data-dir', dataDir)).err).toContain(
      'has data. Restore into another',
    );
    expect(readFileSync(backup).equals(before)).toBe(true);
    expect(await dacapo('backup', backup, '--data-dir', dataDir, '--force')).toMatchObject({ exitCode: 0 });
    expect(await dacapo('restore', backup, '--data-dir', dataDir, '--force')).toMatchObject({ exitCode: 0 });
  });

  it('refuse to copy a data directory in place of the database server that the service uses', async () => {
    for (const [variable, cure] of [
      ['DACAPO_STORAGE', 'use pg_dump'],
      ['DACAPO_SPANS', 'use BACKUP DATABASE'],
    ] as const) {
      const io = new CapturedIo({ [variable]: 'an address with zq7secret' });
      expect(await run(['backup', join(root, 'wrong.db')], io)).toBe(2);
      expect(io.err).toContain(cure);
      expect(io.err).not.toContain('zq7secret');
      expect(await run(['check', '--data-dir', dataDir], io)).toBe(0);
    }
  });

  it('report a missing database', async () => {
    expect((await dacapo('check', '--data-dir', join(root, 'nowhere'))).err).toContain(
      'does not exist. Pass the data directory',
    );
    expect((await dacapo('restore', join(root, 'none.db'))).err).toContain(
      'does not exist. Pass the data directory',
    );
  });

  it('find damage, and restore nothing that is damaged', async () => {
    const bytes = statSync(backup).size;
    const file = openSync(backup, 'r+');
    writeSync(file, Buffer.alloc(bytes / 2, 0x5a), 0, bytes / 2, bytes / 2 - 4096);
    closeSync(file);
    const refused = await dacapo('restore', backup, '--data-dir', dataDir, '--force', '--json');
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toContain('COLLECTOR_DATABASE_DAMAGED');
    const sound = await dacapo('check', '--data-dir', dataDir, '--json');
    expect(JSON.parse(sound.out)).toMatchObject({ findings: [] });
    expect(sound.exitCode).toBe(0);
  });
});
