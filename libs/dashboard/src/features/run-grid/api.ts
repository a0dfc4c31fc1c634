import { AGREEMENTS } from '@dacapo/protocol';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';

/** Calls by runs. @param shown an agreement; all calls for any other value */
export function runGridQuery(ids: string[], shown: string) {
  const compared = { ids, agreement: AGREEMENTS.find((one) => one === shown) };
  return pagedQuery(['run grid', compared], (page, options) =>
    client.testRuns.compareAll({ ...compared, ...page }, options),
  );
}
