import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

describe.each(['cjs', 'esm'])('the built collector, as %s', (kind) => {
  it('stores a span in SQLite and finds it by a word', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'dacapo-builds-'));
    try {
      const program = [join(__dirname, 'build-process.mjs'), kind, dataDir];
      const { stdout } = await promisify(execFile)(process.execPath, program);
      expect(JSON.parse(stdout)).toEqual({ ingest: { accepted: 1, rejected: [] }, found: 1 });
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
