import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, TraceSummary } from '@dacapo/protocol';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { readPort } from './processes/read-port.js';
import { readExample, runExample } from './processes/run-example.js';

const PRINT_PORT = join(ROOT, 'test/processes/print-port.cjs');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the code in docs/node.md', () => {
  let service: DacapoServe;

  beforeAll(async () => {
    service = await startDacapoServe();
  });
  afterAll(() => service.close());

  const run = (name: string): Promise<string> => runExample('docs/node.md', name, service.env);

  it('records calls and replays them through the next version', async () => {
    expect(await run('record')).toBe('billing other\n');

    const replayed = await run('replay');
    expect(replayed).toMatch('I was charged twice. billing billing\n');
    expect(replayed).toMatch('My refund is late. other billing\n');
    expect(replayed).toMatch(`Compare the outputs: ${service.url}/test-runs/`);
  });

  it('records the requests of an Express application in the session of their customer', async () => {
    const server = spawn(
      process.execPath,
      ['--require', PRINT_PORT, ...readExample('docs/node.md', 'express')],
      {
        cwd: ROOT,
        env: { ...process.env, ...service.env, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const response = await fetch(`http://127.0.0.1:${await readPort(server.stdout)}/tickets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ customer: 'ann', message: 'I was charged twice.' }),
    });
    expect(await response.json()).toEqual({ team: 'billing' });
    server.kill('SIGTERM');
    await once(server, 'close');

    const { items } = await service.get<Page<TraceSummary>>('/traces?session_id=ann');
    expect(items).toMatchObject([{ name: 'open-ticket', span_count: 2, status: 'ok' }]);
  });
});

describe('the code in docs/tracer.md', () => {
  it('restores a class in a replay, and continues a trace', async () => {
    const service = await startDacapoServe();
    expect(await runExample('docs/tracer.md', 'codec', service.env)).toBe(
      'Total: 12.50 EUR → Sum: 12.50 EUR\n',
    );
    expect(await runExample('docs/tracer.md', 'propagation', service.env)).toBe('1 trace\n');
    await service.close();
  });
});

describe('the code in docs/datasets.md', () => {
  it('creates a dataset, adds items and reads them', async () => {
    const service = await startDacapoServe();
    expect(await runExample('docs/datasets.md', 'dataset', service.env)).toBe('billing 1\ndelivery 2\n');
    await service.close();
  });
});

describe('the code in docs/delivery.md', () => {
  it('sends a sample of the traces, and every failed trace', async () => {
    const service = await startDacapoServe();
    expect(await runExample('docs/delivery.md', 'sample', service.env)).toMatch(/^Unexpected token[^\n]*\n$/);
    const failed = await service.get<Page<TraceSummary>>('/traces?status=error');
    expect(failed.items).toMatchObject([{ name: 'read', span_count: 2, error_count: 2 }]);
    const all = await service.get<Page<TraceSummary>>('/traces?limit=200');
    expect(all.items.length).toBeLessThan(100);
    await service.close();
  });
});

describe('ARCHITECTURE.md', () => {
  it('names files and folders that exist', () => {
    const paths = [
      ...read('ARCHITECTURE.md').matchAll(/`((?:libs|sample-app|test|scripts|bench|docs)\/[\w./-]*)`/g),
    ].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('draws the enforced layers', () => {
    const [, table = ''] = /^const LAYERS = \{\n([^]*?)\n\};/m.exec(read('.dependency-cruiser.cjs')) ?? [];
    const layers = Object.fromEntries(
      [...table.matchAll(/^ {2}(\w+): \[(.*)\],$/gm)].map(([, name, allowed]) => [
        name,
        [...allowed!.matchAll(/'(\w+)'/g)].map(([, lib]) => lib),
      ]),
    );
    expect(Object.keys(layers).length).toBeGreaterThan(5);
    const section = read('ARCHITECTURE.md').split('| Library | May import |')[1]!.split('\n\n')[0]!;
    const rows = [...section.matchAll(/^\| `libs\/([a-z]+)` \| ([^|]*) \|$/gm)];
    const drawn = Object.fromEntries(
      rows.map(([, name, allowed]) => [name, allowed === 'nothing' ? [] : allowed!.split(', ')]),
    );
    expect(drawn).toEqual(layers);
  });
});
