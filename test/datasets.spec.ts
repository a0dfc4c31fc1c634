import { startCollector } from '@dacapo/collector';
import { type DatasetExample, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

let dataDir: string;
let collector: Awaited<ReturnType<typeof startCollector>>;
let tracer: Tracer;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'dacapo-datasets-'));
  collector = await startCollector({ port: 0, dataDir });
  tracer = new Tracer({ serviceUrl: collector.url, apiKey: collector.apiKey ?? '' });
});

afterAll(async () => {
  await tracer.shutdown();
  await collector.close();
  await removeFolder(dataDir);
});

const readItems = async (name: string, version?: number): Promise<DatasetExample[]> => {
  const items: DatasetExample[] = [];
  for await (const item of tracer.datasets.items(name, version === undefined ? {} : { version })) {
    items.push(item);
  }
  return items;
};

it('values of a list keep their types and order', async () => {
  await tracer.datasets.create('types', { description: 'of everything' });
  const entries = [
    {
      args: [new Date(7), new Map([['a', 1n]]), undefined, -0],
      expected: new Set([NaN]),
      metadata: { row: 1 },
    },
    { input: { text: 'late', at: new URL('https://example.com/') } },
  ];
  expect(await tracer.datasets.add('types', entries)).toMatchObject({ version: 1, added: 2, rejected: [] });
  const [first, second] = await readItems('types');
  expect(first).toEqual({ id: expect.any(String), ...entries[0] });
  expect(second).toEqual({ id: expect.any(String), args: [entries[1]?.input], metadata: {} });
});

it('recorded calls become items with their output, and adding them again changes nothing', async () => {
  const add = tracer.withSpan('sum', { type: 'function' }, (left: bigint, right: number) => ({
    total: left + BigInt(right),
    at: new Date(0),
  }));
  add(1n, 2);
  add(3n, 4);
  await tracer.flush();
  await tracer.datasets.create('sums');
  expect(await tracer.datasets.add('sums', { key: 'sum' })).toMatchObject({ version: 1, added: 2 });
  expect(await tracer.datasets.add('sums', { key: 'sum', limit: 1 })).toMatchObject({
    version: 1,
    unchanged: 1,
  });
  const items = await readItems('sums');
  expect(items.map(({ args, expected }) => [args, expected])).toEqual(
    expect.arrayContaining([
      [[3n, 4], { total: 7n, at: new Date(0) }],
      [[1n, 2], { total: 3n, at: new Date(0) }],
    ]),
  );
  const [deleted] = items;
  expect(await tracer.datasets.remove('sums', [deleted?.id ?? ''])).toMatchObject({ version: 2, removed: 1 });
  expect(await readItems('sums', 1)).toHaveLength(2);
  expect(await readItems('sums')).toHaveLength(1);
  expect((await tracer.datasets.get('sums')).versions.map(({ version }) => version)).toEqual([2, 1]);
  await tracer.datasets.delete('sums');
  await expect(tracer.datasets.get('sums')).rejects.toMatchObject({ status: 404 });
  expect((await tracer.datasets.list()).map(({ name }) => name)).not.toContain('sums');
});
