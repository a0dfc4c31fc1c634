/**
 * Records what the senders of `test/clients/otlp` send, for `test/otlp-senders.spec.ts`:
 *
 *   npm ci --prefix test/clients/otlp --ignore-scripts && node --import tsx test/otlp-senders/record.mjs
 *
 * Each file is the body of one request as its exporter compressed it.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startModel } from './model-server.ts';
import { encodeAsPython } from './python-layout.mjs';

const SENDERS = ['openinference', 'openllmetry', 'contrib', 'ai-sdk-6', 'ai-sdk-7'];
const EXTENSIONS = { 'application/x-protobuf': 'protobuf.gz', 'application/json': 'json.gz' };
const SEND = join(import.meta.dirname, '../clients/otlp/send.mjs');

const requests = [];
const receiver = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { 'content-type': type, 'content-encoding': encoding } = request.headers;
    requests.push({ type, encoding, body: Buffer.concat(chunks) });
    response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const model = await startModel();

for (const sender of SENDERS) {
  requests.length = 0;
  const url = `http://127.0.0.1:${receiver.address().port}`;
  await promisify(execFile)(process.execPath, [SEND, sender, url, 'key', model.url]);
  const [{ type, encoding, body }, ...others] = requests;
  if (others.length > 0 || encoding !== 'gzip')
    throw new Error(`${sender} sent ${requests.length} requests with encoding ${encoding}`);
  writeFileSync(join(import.meta.dirname, `${sender}.${EXTENSIONS[type]}`), body);
}
writeFileSync(join(import.meta.dirname, 'python.protobuf.gz'), encodeAsPython());
receiver.close();
model.close();
