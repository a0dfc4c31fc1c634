/** Kills the service while a file is imported repeatedly. In the end each span must exist once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND, Collector } from './collector.mjs';
import { makeSpans } from './spans.mjs';

const SPANS = 3000;
const LIFE_MS = 1200;

async function importInto(url, apiKey, file) {
  const child = spawn(process.execPath, [COMMAND, 'import', file, '--url', url, '--api-key', apiKey], {
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  return code;
}

export async function duringImport({ dataDir, random, kills, report }) {
  const file = join(mkdtempSync(join(tmpdir(), 'dacapo-import-')), 'spans.ndjson');
  const spans = makeSpans(SPANS, { key: 'imported', text: 'imported' });
  writeFileSync(file, spans.map((span) => JSON.stringify({ span })).join('\n'));
  let apiKey;
  for (let kill = 1; kill <= kills; kill++) {
    const collector = await Collector.start(dataDir);
    apiKey ??= collector.apiKey;
    const importing = importInto(collector.url, apiKey, file);
    await sleep(random.below(LIFE_MS));
    await collector.kill();
    await importing;
    report(kill, 'imports cut off');
  }
  const last = await Collector.start(dataDir);
  const code = await importInto(last.url, apiKey, file);
  const stored = await last.client(apiKey).countSpans('imported');
  await last.kill('SIGTERM');
  return [
    ...(code === 0 ? [] : [`the last import ended with ${code}`]),
    ...(stored === SPANS ? [] : [`${SPANS} spans were imported, and ${stored} are stored`]),
  ];
}
