import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `use` with an environment whose home is new, so that no file of an earlier run is found. */
export async function withPrivateHome(use) {
  const home = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
  try {
    return await use({ HOME: home, XDG_STATE_HOME: join(home, 'state') });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
