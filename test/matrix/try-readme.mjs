/** Runs the code of docs/node.md and docs/nestjs.md, compiled to `dist-readme` in the current folder, on the given Node. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { URLSearchParams } from 'node:url';
import { promisify } from 'node:util';

const [, , program] = process.argv;
const { TRACER_API_KEY: key, TRACER_SERVICE_URL: service } = process.env;
const PRINT_PORT = join(import.meta.dirname, '../processes/print-port.cjs');

const run = async (name) => (await promisify(execFile)(program, [`dist-readme/${name}.js`])).stdout;

assert.equal(await run('run-record'), 'billing other\n');
const replayed = await run('run-replay');
assert.match(replayed, /^My refund is late\. other billing$/m);
assert.match(replayed, /^Compare the outputs: http/m);

const server = spawn(program, ['--require', PRINT_PORT, 'dist-readme/main.js'], {
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const answer = await fetch(`http://127.0.0.1:${await readPort(server)}/tickets`, {
  method: 'POST',
  body: new URLSearchParams({ message: 'My invoice is wrong.' }),
});
assert.deepEqual(await answer.json(), { category: 'billing' });
server.kill('SIGTERM');
await once(server, 'close');

const traces = await fetch(`${service}/api/v1/traces?limit=1`, { headers: { 'API-Key': key } });
const [{ name, span_count }] = (await traces.json()).items;
assert.deepEqual({ name, span_count }, { name: 'POST /tickets', span_count: 2 });
assert.match(await run('replay'), /^My invoice is wrong\. billing billing\n(.*\n)*3 calls replayed\n$/);

async function readPort({ stdout }) {
  for await (const line of createInterface(stdout)) {
    const [, port] = /^listening on port (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return port;
  }
  throw new Error('The application exited before it listened.');
}
