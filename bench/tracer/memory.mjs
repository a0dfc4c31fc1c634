import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureInChild, withSink } from './children.mjs';

const SPANS = 200_000;

/** Peak growth of resident memory in MiB for 200,000 spans of A, with a service that never responds. */
export function measureMemory(progress) {
  return withSink('hanging', async (url) => {
    const rows = [];
    for (const arm of ['bare', 'dacapo']) {
      progress(`memory against a hanging service, ${arm}`);
      const state = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
      const env = { XDG_STATE_HOME: state };
      const { growthMiB, stats } = await measureInChild('memory-child.mjs', [arm, SPANS, url], {
        execArgv: ['--expose-gc'],
        env,
      });
      rmSync(state, { recursive: true, force: true });
      rows.push({
        arm,
        'growth MiB': Math.round(growthMiB),
        ...(stats && { recorded: stats.recorded, waiting: stats.waiting, delivered: stats.delivered }),
      });
    }
    return rows;
  });
}
