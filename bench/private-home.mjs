import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `use` with an environment with a new home folder, so that files of earlier runs have no effect. */
export async function withPrivateHome(use) {
  const home = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
  try {
    return await use({ HOME: home, XDG_STATE_HOME: join(home, 'state') });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
