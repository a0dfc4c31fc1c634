/**
 * Compares the database size with the size of recorded agent runs: runs of 5, 10 and 20 steps with 5 to 30 tools, recorded with
 * the Agents SDK and wrapped clients, and conversations without tools.
 *
 *   node bench/collector/agents.mjs [--json] [--traces 10]
 */
import Database from 'libsql';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KINDS, recordRuns } from './agent-runs.mjs';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, traces: { type: 'string', default: '10' } },
});
const SHAPES = [
  { steps: 5, tools: 5, systemBytes: 1000 },
  { steps: 10, tools: 15, systemBytes: 4000 },
  { steps: 20, tools: 30, systemBytes: 8000 },
];
const DOCS = join(import.meta.dirname, '../../docs');
const texts = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => readFileSync(join(DOCS, name), 'utf8').split('\n'))
  .filter((line) => line.length > 40);

const rows = [];
for (const kind of KINDS) {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
  const service = fork(join(import.meta.dirname, 'collector-process.mjs'), [directory]);
  const [collector] = await once(service, 'message');
  await recordRuns({ collector, kind, shapes: SHAPES, traces: Number(values.traces), texts });
  service.send('stop');
  await once(service, 'exit');
  rows.push({ kind, ...measureSizes(join(directory, 'dacapo.db')) });
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}
if (values.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else console.table(rows);

/** Excludes the text index, which the collector fills in the background. */
function measureSizes(path) {
  const db = new Database(path);
  const [{ spans, recorded }] = db
    .prepare('SELECT count(*) AS spans, sum(payload_bytes) AS recorded FROM spans')
    .all([]);
  const tables = Object.fromEntries(
    db
      .prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name')
      .all([])
      .map(({ name, bytes }) => [name, bytes]),
  );
  db.close();
  const sum = (names) => names.reduce((bytes, name) => bytes + (tables[name] ?? 0), 0);
  const isOfParts = (name) => /payload_parts|payload_part_uses/.test(name);
  const parts = sum(Object.keys(tables).filter(isOfParts));
  const rest = sum(
    Object.keys(tables).filter((name) => !isOfParts(name) && !/text|span_payloads/.test(name)),
  );
  const kib = (bytes) => Math.round(bytes / 1024);
  return {
    spans,
    'recorded KiB': kib(recorded),
    'payloads KiB': kib(tables.span_payloads),
    'parts KiB': kib(parts),
    'other tables KiB': kib(rest),
    'stored of recorded': Number(((tables.span_payloads + parts) / recorded).toFixed(2)),
  };
}
