/**
 * Measures whether response times reveal which share links exist: `node bench/collector/share-links.mjs [--rounds 2000]`.
 *
 * Requests with the secret of an expired link, of a revoked link and of no link alternate on one connection. The last column is the
 * probability that a request is slower than one with an unknown secret, with its 95 % interval. 0.5 means that the times reveal nothing.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import { startCollector } from '@dacapo/collector';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '2000' } } });
const rounds = Number(values.rounds);
const WARM_UP = 200;
/** Refills the bucket of refused requests. */
const MINUTE_US = 60e6;

let nowUs = Date.now() * 1000;
const dataDir = await mkdtemp(join(tmpdir(), 'dacapo-bench-'));
const collector = await startCollector({ port: 0, dataDir, clock: { nowUs: () => nowUs } });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const trace_id = newTraceId();
const at = new Date(nowUs / 1000).toISOString();
const span = { id: newSpanId(), trace_id, trace_function_key: 'bench', name: 'bench', type: 'function' };
const line = JSON.stringify({ span: { ...span, status: 'ok', started_at: at, span_data: {} } });
await send('POST', '/api/v1/ingest', line, 'application/x-ndjson');
const expired = await share({ expires_in_s: 1 });
nowUs += 10 * MINUTE_US;
const revoked = await share({});
await send('DELETE', `/api/v1/share-links/${revoked.id}`);

const secrets = { unknown: () => randomBytes(32).toString('base64url'), again: undefined };
secrets.again = secrets.unknown;
secrets.expired = () => expired.secret;
secrets.revoked = () => revoked.secret;
const taken = Object.fromEntries(Object.keys(secrets).map((kind) => [kind, []]));
const answers = new Set();
for (let round = -WARM_UP; round < rounds; round += 1) {
  nowUs += MINUTE_US;
  for (const kind of Object.keys(secrets).sort(() => Math.random() - 0.5)) {
    const path = `/api/v1/shared/${secrets[kind]()}`;
    const begun = process.hrtime.bigint();
    const { status, headers, body } = await send('GET', path);
    if (round >= 0) taken[kind].push(Number(process.hrtime.bigint() - begun) / 1000);
    const { date, 'x-request-id': id, ...others } = headers;
    answers.add(JSON.stringify([status, others, body, typeof date, id?.length]));
  }
}
await collector.close();
agent.destroy();
await rm(dataDir, { recursive: true });

console.table(
  Object.entries(taken).map(([secret, micros]) => {
    const median = micros.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
    const share = shareSlower(micros, taken.unknown);
    // Of two equal distributions.
    const halfWidth = 1.96 * Math.sqrt((2 * rounds + 1) / (12 * rounds * rounds));
    return {
      secret,
      'median µs': Math.round(median),
      'slower than unknown': `${share.toFixed(3)} ± ${halfWidth.toFixed(3)}`,
    };
  }),
);
console.log(`${answers.size} different answer, load ${loadavg()[0].toFixed(1)}`);

/** The chance that one of `left` is larger than one of `right`. */
function shareSlower(left, right) {
  const all = [...left.map((value) => [value, 1]), ...right.map((value) => [value, 0])];
  all.sort(([a], [b]) => a - b);
  const ranks = all.reduce((sum, [, isLeft], index) => sum + isLeft * (index + 1), 0);
  return (ranks - (left.length * (left.length + 1)) / 2) / (left.length * right.length);
}

async function share(more) {
  const body = JSON.stringify({ trace_id, ...more });
  const answer = JSON.parse((await send('POST', '/api/v1/share-links', body, 'application/json')).body);
  return { id: answer.id, secret: new URL(answer.link).pathname.replace('/shared/', '') };
}

function send(method, path, body, type) {
  const headers = {
    ...(!path.startsWith('/api/v1/shared/') && { 'api-key': collector.apiKey }),
    ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    request(collector.url + path, { method, headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => {
        resolve({ status: answer.statusCode, headers: answer.headers, body: text });
      });
    })
      .on('error', reject)
      .end(body);
  });
}
