/**
 * Repeatedly kills the service, or a program that works on its files, with SIGKILL:
 *
 *   npm run test:crash -- [--kills 100] [--seed 7] [--during ingest,deletion,retention,import,backup,migration]
 *
 * Acknowledged records must exist once, deleted data must not be in any file, and the database must be intact.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../fuzz/random.mjs';
import { duringBackup } from './during-backup.mjs';
import { duringDeletion, duringRetention } from './during-deletion.mjs';
import { duringImport } from './during-import.mjs';
import { duringIngest } from './during-ingest.mjs';
import { duringMigration } from './during-migration.mjs';

const { checkDatabase } = createRequire(import.meta.url)('@dacapo/collector');

const SCENARIOS = {
  ingest: duringIngest,
  deletion: duringDeletion,
  retention: duringRetention,
  import: duringImport,
  backup: duringBackup,
  migration: duringMigration,
};

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    during: { type: 'string', default: Object.keys(SCENARIOS).join() },
  },
});
console.log(`Seed ${values.seed}, ${values.kills} kills each.`);

for (const name of values.during.split(',')) {
  const dataDir = mkdtempSync(join(tmpdir(), 'dacapo-crash-'));
  const report = (kill, text) => {
    if (kill % 10 === 0) console.log(`${name}: ${kill} kills, ${text}`);
  };
  const problems = await SCENARIOS[name]({
    dataDir,
    random: new Random(values.seed),
    kills: Number(values.kills),
    report,
  });
  const { findings, lostWrites } = await checkDatabase(dataDir);
  problems.push(...findings);
  if (lostWrites > 0) problems.push(`${lostWrites} acknowledged writes are missing`);
  for (const problem of problems.slice(0, 20)) console.log(`✗ ${name}: ${problem}`);
  if (problems.length === 0) console.log(`✓ ${name}: no problems`);
  else process.exitCode = 1;
  rmSync(dataDir, { recursive: true, force: true });
}
