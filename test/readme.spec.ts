import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, TraceSummary } from '@dacapo/protocol';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { runExample } from './processes/run-example.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the code in README.md', () => {
  let service: DacapoServe;

  beforeAll(async () => {
    service = await startDacapoServe();
  });
  afterAll(() => service.close());

  const run = (name: string): Promise<string> => runExample('README.md', name, service.env);

  it('records calls and replays them through the next version', async () => {
    expect(await run('record')).toBe('billing other\n');

    const replayed = await run('replay');
    expect(replayed).toMatch('I was charged twice. billing billing\n');
    expect(replayed).toMatch('My refund is late. other billing\n');
    expect(replayed).toMatch(`Compare the outputs: ${service.url}/test-runs/`);
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
