/** Starts the collector of one build on SQLite and searches for a word of a span: `node build-process.mjs cjs|esm <data directory>`. */
import { createRequire } from 'node:module';

const [kind, dataDir] = process.argv.slice(2);
const load = async (name) => (kind === 'cjs' ? createRequire(import.meta.url)(name) : import(name));
const { startCollector } = await load('@dacapo/collector');
const { newSpanId, newTraceId } = await load('@dacapo/protocol');

const logger = { info() {}, warn: console.error, error: console.error };
const collector = await startCollector({ port: 0, dataDir, logger });
const headers = { 'API-Key': collector.apiKey, 'content-type': 'application/x-ndjson' };
const at = new Date().toISOString();
const span = {
  id: newSpanId(),
  trace_id: newTraceId(),
  trace_function_key: 'desk',
  name: 'desk',
  type: 'custom',
  status: 'ok',
  started_at: at,
  ended_at: at,
  duration_ms: 0,
  span_data: { input: ['needle'] },
};
const body = `${JSON.stringify({ span })}\n`;
const ingested = await fetch(`${collector.url}/api/v1/ingest`, { method: 'POST', headers, body });
const found = await fetch(`${collector.url}/api/v1/traces?text=needle`, { headers });
console.log(JSON.stringify({ ingest: await ingested.json(), found: (await found.json()).items.length }));
await collector.close();
