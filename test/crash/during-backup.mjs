/** Kills `dacapo backup` during ingest. Existing backups must be complete, and private from the first byte. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND, Collector } from './collector.mjs';
import { makeSpans } from './spans.mjs';

const { checkDatabase, restoreDatabase } = createRequire(import.meta.url)('@dacapo/collector');

const LIFE_MS = 1500;
const SPANS = 200;

export async function duringBackup({ dataDir, random, kills, report }) {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-backups-'));
  const file = join(folder, 'backup.db');
  const problems = [];
  const collector = await Collector.start(dataDir);
  const client = collector.client(collector.apiKey);
  let sent = 0;
  let whole = 0;
  for (let kill = 1; kill <= kills; kill++) {
    await client.ingest(makeSpans(SPANS, { key: 'backed up', text: 'backed up' }));
    sent += SPANS;
    const args = [COMMAND, 'backup', file, '--force', '--data-dir', dataDir];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const exit = once(child, 'exit');
    await Promise.race([sleep(random.below(LIFE_MS)), exit]);
    for (const name of [file, `${file}.partial`]) {
      const mode = existsSync(name) ? statSync(name).mode & 0o777 : 0o600;
      if (mode !== 0o600) problems.push(`${name} has the mode ${mode.toString(8)}`);
    }
    child.kill('SIGKILL');
    await exit;
    if (existsSync(file)) {
      whole++;
      const restored = mkdtempSync(join(folder, 'restored-'));
      await restoreDatabase(file, restored);
      problems.push(...(await checkDatabase(restored)).findings);
    }
    report(kill, `${whole} backups are whole`);
  }
  const stored = await client.countSpans('backed up');
  if (stored !== sent) problems.push(`${sent} spans were acknowledged, and ${stored} are stored`);
  await collector.kill('SIGTERM');
  return problems;
}
