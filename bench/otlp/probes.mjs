/**
 * Measures how long `/health/live` waits while a collector that has just started handles a hostile OTLP body:
 *
 *   node --import tsx bench/otlp/probes.mjs [--only text] [--most 100]
 *
 * Each body goes to a new process with an empty database. Fails if a probe took longer than `--most` milliseconds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HOSTILE_BODIES } from '../../libs/collector/test/support/hostile-otlp.ts';
import { sendHostile } from '../../libs/collector/test/support/send-hostile.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, most: { type: 'string', default: '100' } },
});

const rows = [];
for (const body of HOSTILE_BODIES.filter(({ name }) => name.includes(values.only))) {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-probes-'));
  const child = fork(join(import.meta.dirname, '../collector/collector-process.mjs'), [directory], {
    execArgv: [],
  });
  const [collector] = await once(child, 'message');
  const { status, probes, longestProbeMs } = await sendHostile(collector, body);
  child.kill('SIGKILL');
  await once(child, 'exit');
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  rows.push({ body: body.name, status, probes: probes.length, 'longest, ms': Math.round(longestProbeMs) });
}
console.table(rows);
const late = rows.filter((row) => !(row['longest, ms'] <= Number(values.most)));
if (late.length > 0 || rows.length === 0) {
  console.log(
    `${late.length} of ${rows.length} bodies kept a probe waiting for more than ${values.most} ms.`,
  );
  process.exitCode = 1;
}
