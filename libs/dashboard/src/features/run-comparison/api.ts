import { PAIR_RELATIONS } from '@dacapo/protocol';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';

/** @param shown a relation; all items for any other value */
export function comparisonQuery(id: string, other: string, shown: string) {
  const compared = { id, with: other, relation: PAIR_RELATIONS.find((one) => one === shown) };
  return pagedQuery(['comparison', compared], (page, options) =>
    client.testRuns.compare({ ...compared, ...page }, options),
  );
}
