import type { TestRunItemRecord } from '@dacapo/protocol';
import { collectDiffering } from './differing-items.js';

const same: TestRunItemRecord = { item_no: 0, verdict: 'same' };
const changed: TestRunItemRecord = { item_no: 0, verdict: 'changed' };
const unknown: TestRunItemRecord = { item_no: 0, verdict: 'unknown' };
const worse: TestRunItemRecord = {
  ...same,
  scores: [{ name: 'accuracy', value: 0.4 }],
  original_scores: [{ name: 'accuracy', value: 0.9 }],
};

/** Collects from pages of one item each, of which `items` is the list. */
async function collect(items: readonly TestRunItemRecord[]) {
  let loaded = 0;
  const { items: found, isCut } = await collectDiffering((cursor = '0') => {
    loaded += 1;
    const next = Number(cursor) + 1;
    return Promise.resolve({
      items: items.slice(next - 1, next),
      ...(next < items.length && { next_cursor: String(next) }),
    });
  });
  return { verdicts: found.map(({ verdict }) => verdict), isCut, loaded };
}

describe('the differing items of a run', () => {
  it('end at a page of equal items', async () => {
    expect(await collect([changed, unknown, same, same])).toEqual({
      verdicts: ['changed', 'unknown'],
      isCut: false,
      loaded: 3,
    });
  });

  it('include those after pages of equal items with lower scores', async () => {
    expect(await collect([changed, worse, worse, unknown, same])).toMatchObject({
      verdicts: ['changed', 'unknown'],
      isCut: false,
    });
  });

  it('are cut after 20 pages', async () => {
    const pages = Array.from({ length: 30 }, () => worse);
    expect(await collect([changed, ...pages, unknown])).toEqual({
      verdicts: ['changed'],
      isCut: true,
      loaded: 20,
    });
  });
});
