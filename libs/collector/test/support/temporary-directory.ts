import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

declare global {
  /** Removed after all hooks of the test file, by the environment of the tests. */
  var temporaryDirectories: string[];
}

export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'dacapo-collector-'));
  globalThis.temporaryDirectories.push(path);
  return path;
}
