import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newTraceId } from '@dacapo/protocol';
import { span, spansToNdjson } from '../libs/collector/test/support/records.js';
import { PostgresServer } from '../libs/collector/test/support/postgres-server.js';
import { Program, ROOT } from './processes/program.js';

const SENDERS = 4;
const ROUNDS = 2;
/** A little longer than nginx avoids a collector that was unreachable. */
const PAUSE_MS = 2000;

/** Finds free ports. */
async function findPorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

describe('two collectors on one PostgreSQL behind deploy/proxy/nginx.conf', () => {
  let postgres: PostgresServer;
  let storage: string;
  let ports: number[];
  let url: string;
  let apiKey: string;
  let nginx: ChildProcess;
  const collectors: Program[] = [];

  const startCollector = async (port: number | undefined): Promise<[Program, { apiKey?: string }]> =>
    Program.start('libs/cli/bin/dacapo.cjs', ['serve', '--json', '--port', String(port)], {
      DACAPO_STORAGE: storage,
    });

  /** The deployed configuration, with addresses of this machine. */
  function startNginx(listen: number | undefined): ChildProcess {
    const folder = mkdtempSync(join(tmpdir(), 'dacapo-nginx-'));
    const config = join(folder, 'nginx.conf');
    const deployed = readFileSync(join(ROOT, 'deploy/proxy/nginx.conf'), 'utf8');
    writeFileSync(
      config,
      deployed
        .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'))
        .replace('listen 8080', `listen 127.0.0.1:${listen}`)
        .replaceAll(/collector-(\d):4100/g, (_, number) => `127.0.0.1:${ports[Number(number) - 1]}`),
    );
    const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', config, '-g', 'daemon off;'];
    return spawn('nginx', args, { stdio: 'inherit' });
  }

  /** Sends a read request or a batch. */
  const ask = (path: string, batch?: string): Promise<Response> =>
    fetch(url + path, {
      method: batch === undefined ? 'GET' : 'POST',
      headers: { 'API-Key': apiKey, 'content-type': 'application/x-ndjson' },
      ...(batch !== undefined && { body: batch }),
    });

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    storage = await postgres.createDatabase();
    ports = await findPorts(3);
    url = `http://127.0.0.1:${ports[2]}`;
    const [first, ready] = await startCollector(ports[0]);
    const [second] = await startCollector(ports[1]);
    collectors.push(first, second);
    apiKey = ready.apiKey ?? '';
    nginx = startNginx(ports[2]);
    while (
      !(await ask('/health/ready').then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await sleep(50);
  });

  afterAll(async () => {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
    for (const collector of collectors) await collector.stop();
    await postgres.stop();
  });

  it('answer every request, and store every acknowledged span once, while each is restarted in turn', async () => {
    let isOver = false;
    const answers = new Map<string, number>();
    const acknowledged: string[] = [];
    const count = (answer: string): void => {
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    };
    const send = async (): Promise<void> => {
      while (!isOver) {
        const root = span({ trace_id: newTraceId(), trace_function_key: 'request' });
        const { status } = await ask('/api/v1/ingest', spansToNdjson([root]));
        count(`ingest ${status}`);
        if (status === 200) acknowledged.push(root.id);
      }
    };
    const read = async (): Promise<void> => {
      while (!isOver) count(`read ${(await ask('/api/v1/traces?limit=5')).status}`);
    };
    const load = [...Array.from({ length: SENDERS }, send), read()];

    for (let restart = 0; restart < ROUNDS * 2; restart++) {
      const index = restart % 2;
      await collectors[index]?.stop();
      collectors[index] = (await startCollector(ports[index]))[0];
      await sleep(PAUSE_MS);
    }
    isOver = true;
    await Promise.all(load);

    expect([...answers.keys()].sort()).toEqual(['ingest 200', 'read 200']);
    const lines = (await (await ask('/api/v1/export')).text()).split('\n').filter((line) => line !== '');
    const stored = lines.flatMap((line) => {
      const { span: record } = JSON.parse(line) as { span?: { id: string } };
      return record === undefined ? [] : [record.id];
    });
    expect(stored.sort()).toEqual(acknowledged.sort());
  });
});
