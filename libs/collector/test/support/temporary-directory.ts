import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'dacapo-collector-'));
  made.push(path);
  return path;
}

afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
});
