import type { AddDatasetVersionAnswer, DatasetItemInput } from '@dacapo/protocol';
import { addInBatches, type EntryToAdd } from './add-in-batches.js';

/** A service that takes what is not marked as bad; the version after another starts from it. */
function service() {
  const requests: { items: DatasetItemInput[]; isFirst: boolean }[] = [];
  const send = (items: DatasetItemInput[], isFirst: boolean): Promise<AddDatasetVersionAnswer> => {
    requests.push({ items, isFirst });
    const rejected = items.flatMap(({ metadata }, index) =>
      metadata?.['bad'] === true ? [{ index, detail: 'is bad' }] : [],
    );
    const added = items.length - rejected.length;
    const [version, base] = [requests.length, requests.length - 1];
    const item_count = requests.reduce((sum, request) => sum + request.items.length, 0);
    return Promise.resolve({
      version,
      base,
      added,
      removed: 1,
      unchanged: 2,
      item_count,
      rejected,
      created_at: '2026-01-31T12:00:00.000000Z',
    });
  };
  return { requests, send };
}

const item = (index: number, input: string, bad = false): EntryToAdd => ({
  index,
  item: { input: [input], ...(bad && { metadata: { bad } }) },
});
const HALF = 'x'.repeat(5 * 1024 * 1024);

describe('addInBatches', () => {
  it('sends at most 8 MiB per request, and adds up the results', async () => {
    const { requests, send } = service();
    const answer = await addInBatches([item(0, HALF), item(1, HALF), item(2, 'small'), item(3, HALF)], send);
    expect(requests.map(({ items, isFirst }) => [items.length, isFirst])).toEqual([
      [1, true],
      [2, false],
      [1, false],
    ]);
    expect(answer).toMatchObject({
      version: 3,
      base: 0,
      added: 4,
      removed: 3,
      unchanged: 6,
      item_count: 4,
      rejected: [],
    });
  });

  it('reports each rejected entry by its place, whoever rejected it', async () => {
    const { send } = service();
    const entries = [
      { index: 9, detail: 'is no item' },
      item(2, HALF, true),
      item(4, HALF),
      item(7, 'small', true),
    ];
    const { rejected, added } = await addInBatches(entries, send);
    expect(added).toBe(1);
    expect(rejected).toEqual([
      { index: 2, detail: 'is bad' },
      { index: 7, detail: 'is bad' },
      { index: 9, detail: 'is no item' },
    ]);
  });

  it.each([
    ['nothing', []],
    ['what cannot be added', [{ index: 0, detail: 'is no item' }]],
  ])('sends one request of %s', async (_, entries) => {
    const { requests, send } = service();
    const answer = await addInBatches(entries, send);
    expect(requests).toEqual([{ items: [], isFirst: true }]);
    expect(answer.rejected).toEqual(entries);
  });
});
