import * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import type { UsageRecord } from '../../records/span.js';
import { route } from '../route.js';
import { about, list, number, object, recorded, string } from '../schema/kinds.js';

export const costs = {
  compute: route({
    method: 'POST',
    path: '/api/v1/costs',
    scope: 'read',
    tag: 'Reading',
    summary: 'Computes what model calls would cost at current prices.',
    body: object({
      usages: about(
        'Recorded usages. A recorded cost is ignored.',
        list(recorded<UsageRecord>('UsageRecord'), LIMITS.pricedUsages),
      ),
    }),
    answer: object({
      price_version: about('The price list that was used.', string()),
      costs: about(
        'In US dollars, in the order of `usages`. `null`: the model has no price, or its tokens are unknown.',
        list(v.nullable(number())),
      ),
    }),
  }),
};
