import { ITEM_FLAGS, VERDICTS } from '@dacapo/protocol';
import { client } from '../../../shared/http/client.js';
import { pagedQuery } from '../../../shared/http/page-query.js';
import type { ScoreRange } from '../score-filter.js';

export interface ShownItems extends ScoreRange {
  /** A verdict or a flag. All items for any other value. */
  verdict: string;
}

export const itemsKey = (id: string) => ['test run items', id];

/** The items of a test run without payloads, worst first. */
export function testRunItemsQuery(
  id: string,
  { verdict: shown, score, score_below, score_above }: ShownItems,
) {
  const bound = (text: string) => (text === '' ? undefined : Number(text));
  const bounds = { score_below: bound(score_below), score_above: bound(score_above) };
  const filter = {
    verdict: VERDICTS.find((one) => one === shown),
    flag: ITEM_FLAGS.find((one) => one === shown),
    ...(score !== '' && { score, ...bounds }),
    worst_first: true,
  };
  return pagedQuery([...itemsKey(id), filter], (page, options) =>
    client.testRuns.listItems({ id, ...filter, ...page }, options),
  );
}
